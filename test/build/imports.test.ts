/** The lint of imports: that it reads the sources, and that an import against the arrows fails it. */
import { cp, mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const config = ".dependency-cruiser.cjs";

async function cruise(cwd: string) {
  const program = join(root, "node_modules", ".bin", "depcruise");
  return await execa(program, ["src", "--config", config], { cwd, reject: false });
}

/** Lints a tree of these files alone. */
async function lint(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "playtest-imports-"));
  for (const name of [config, "tsconfig.json", "package.json"])
    await cp(join(root, name), join(folder, name));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return await cruise(folder);
}

const target = "export const value = 1;\n";
const importing = (specifier: string) =>
  `import { value } from "${specifier}";\nexport const other = value;\n`;

describe("an import against the arrows fails the lint", () => {
  test.each([
    ["contract-imports", "src/contract/a.ts", "../client/b.ts", "src/client/b.ts"],
    ["client-imports", "src/client/a.ts", "../render/b.ts", "src/render/b.ts"],
    ["render-imports", "src/render/a.ts", "../client/b.ts", "src/client/b.ts"],
    ["pictures-imports", "src/pictures/a.ts", "../render/b.ts", "src/render/b.ts"],
    ["server-imports", "src/server/a.ts", "../client/b.ts", "src/client/b.ts"],
    ["mcp-imports", "src/mcp/a.ts", "../server/b.ts", "src/server/b.ts"],
    ["demo-imports", "src/demo/a.ts", "../server/b.ts", "src/server/b.ts"],
    ["gate-imports", "src/gate/a.ts", "../render/b.ts", "src/render/b.ts"],
    ["export-imports", "src/export/a.ts", "../render/b.ts", "src/render/b.ts"],
    ["cli-imports", "src/cli/commands/games/a.ts", "../../../server/b.ts", "src/server/b.ts"],
  ])("%s", async (rule, from, specifier, to) => {
    const { exitCode, stdout } = await lint({ [from]: importing(specifier), [to]: target });
    expect(exitCode).not.toBe(0);
    expect(stdout).toContain(rule);
  });

  test("contract-is-pure", async () => {
    const { exitCode, stdout } = await lint({
      "src/contract/a.ts": 'import chalk from "chalk";\nexport const other = chalk;\n',
    });
    expect(exitCode).not.toBe(0);
    expect(stdout).toContain("contract-is-pure");
  });

  test("sql-in-queries", async () => {
    const { exitCode, stdout } = await lint({
      "src/server/handlers/a.ts": 'import { sql } from "kysely";\nexport const other = sql;\n',
    });
    expect(exitCode).not.toBe(0);
    expect(stdout).toContain("sql-in-queries");
  });
});

test("imports along the arrows pass", async () => {
  const { exitCode } = await lint({
    "src/cli/commands/server/a.ts": importing("../../../server/b.ts"),
    "src/server/b.ts": importing("../contract/c.ts").replace("other", "value2") + target,
    "src/contract/c.ts": target,
  });
  expect(exitCode).toBe(0);
});

test("the project's own sources pass, and are read", async () => {
  const { exitCode, stdout } = await cruise(root);
  expect(exitCode).toBe(0);
  expect(Number(/\((\d+) modules/.exec(stdout)?.[1])).toBeGreaterThan(150);
});

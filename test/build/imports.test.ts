/** The lint of imports: that it reads the sources, and that an import against the arrows fails it. */
import { cp, mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";

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

/** A rule, the file that breaks it, and what that imports. */
const against = [
  ["contract-imports", "src/contract/a.ts", "../client/target.ts"],
  ["client-imports", "src/client/a.ts", "../render/target.ts"],
  ["render-imports", "src/render/a.ts", "../client/target.ts"],
  ["pictures-imports", "src/pictures/a.ts", "../render/target.ts"],
  ["server-imports", "src/server/a.ts", "../client/target.ts"],
  ["mcp-imports", "src/mcp/a.ts", "../server/target.ts"],
  ["demo-imports", "src/demo/a.ts", "../server/target.ts"],
  ["gate-imports", "src/gate/a.ts", "../render/target.ts"],
  ["export-imports", "src/export/a.ts", "../render/target.ts"],
  ["cli-imports", "src/cli/commands/games/a.ts", "../../../server/target.ts"],
  ["bridge-imports", "src/cli/commands/server/a.ts", "../../../export/target.ts"],
  ["contract-is-pure", "src/contract/b.ts", "chalk"],
  ["sql-in-queries", "src/server/handlers/a.ts", "kysely"],
] as const;

describe("an import against the arrows fails the lint", () => {
  let linted: Awaited<ReturnType<typeof lint>>;
  beforeAll(async () => {
    const targets = ["client", "render", "server", "export"].map((layer) => [
      `src/${layer}/target.ts`,
      target,
    ]);
    const importers = against.map(([, file, specifier]) => [file, importing(specifier)]);
    linted = await lint(Object.fromEntries([...targets, ...importers]));
  });

  test.each(against)("%s", (rule, file) => {
    expect(linted.stdout).toContain(`error ${rule}: ${file} →`);
  });

  test("and nothing else does", () => {
    expect(linted.exitCode).not.toBe(0);
    expect(linted.stdout.match(/^ *error /gm)).toHaveLength(against.length);
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

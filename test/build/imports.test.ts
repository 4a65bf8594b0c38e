/** The lint of imports: it reports imports against the order of modules. `npm run lint` reads the sources of the project. */

import { cp, mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const config = ".dependency-cruiser.cjs";

/** Lints a folder that contains only these files. */
async function lint(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "playtest-imports-"));
  for (const name of [config, "tsconfig.json", "package.json"])
    await cp(join(root, name), join(folder, name));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const program = join(root, "node_modules", ".bin", "depcruise");
  return await execa(program, ["src", "--config", config], { cwd: folder, reject: false });
}

const target = "export const value = 1;\n";
const importing = (specifier: string) =>
  `import { value } from "${specifier}";\nexport const other = value;\n`;

/** Rules, files that violate them, and the imports of these files. */
const against = [
  ["contract-imports", "src/contract/a.ts", "../client/target.ts"],
  ["client-imports", "src/client/a.ts", "../render/target.ts"],
  ["render-imports", "src/render/a.ts", "../client/target.ts"],
  ["charts-imports", "src/charts/a.ts", "../render/target.ts"],
  ["server-imports", "src/server/core/a.ts", "../../client/target.ts"],
  ["mcp-imports", "src/mcp/a.ts", "../server/core/target.ts"],
  ["demo-imports", "src/demo/a.ts", "../server/core/target.ts"],
  ["shared-imports", "src/shared/a.ts", "../contract/target.ts"],
  ["webhooks-imports", "src/webhooks/a.ts", "../contract/target.ts"],
  ["gate-imports", "src/gate/a.ts", "../render/target.ts"],
  ["export-imports", "src/export/a.ts", "../render/target.ts"],
  ["cli-imports", "src/cli/commands/games/a.ts", "../../../server/core/target.ts"],
  ["bridge-imports", "src/cli/commands/server/a.ts", "../../../export/target.ts"],
  ["contract-is-pure", "src/contract/b.ts", "chalk"],
  ["sql-in-queries", "src/server/games/game-handlers.ts", "kysely"],
  ["known-server-modules", "src/server/a.ts", "./core/target.ts"],
  ["known-server-modules", "src/server/queries/a.ts", "../core/target.ts"],
  ["server-http-imports", "src/server/http/a.ts", "../start.ts"],
] as const;

/** The modules of the service in their order, from the names of the rules. */
const { forbidden } = createRequire(import.meta.url)(join(root, config)) as { forbidden: { name: string }[] };
const serverModules = forbidden.flatMap(({ name }) => /^server-([a-z]+)-imports$/.exec(name)?.[1] ?? []);

/** Imports of each module from the next one, which the order forbids: as a value and as a type. */
const reversed = serverModules.slice(0, -1).flatMap((module, at) => {
  const later = `../${serverModules[at + 1]}/target.ts`;
  const byType = `import type { value } from "${later}";\nexport type Other = typeof value;\n`;
  const rule = `server-${module}-imports`;
  return [
    { rule, file: `src/server/${module}/by-value.ts`, content: importing(later) },
    { rule, file: `src/server/${module}/by-type.ts`, content: byType },
  ];
});

/** Pairs of files that import each other, one of them only types. */
const circleIn = (folder: string) => ({
  [`${folder}/left.ts`]: `import { value } from "./right.ts";\nexport const left = value;\n`,
  [`${folder}/right.ts`]: `import type { left } from "./left.ts";\nexport const value = 1;\nexport type Left = typeof left;\n`,
});
const circleFolders = ["src/server/db", "src/cli", "src/shared"];

describe("the lint reports forbidden imports", () => {
  let linted: Awaited<ReturnType<typeof lint>>;
  beforeAll(async () => {
    const modules = serverModules.map((module) => `server/${module}`);
    const targets = ["client", "contract", "render", "export", ...modules].map((layer) => [
      `src/${layer}/target.ts`,
      target,
    ]);
    const importers = against.map(([, file, specifier]) => [file, importing(specifier)]);
    const start = ["src/server/start.ts", target];
    const backwards = reversed.map(({ file, content }) => [file, content]);
    linted = await lint({
      ...Object.fromEntries([...targets, ...importers, ...backwards, start]),
      ...Object.assign({}, ...circleFolders.map(circleIn)),
    });
  });

  test.each(against)("%s", (rule, file) => {
    expect(linted.stdout).toContain(`error ${rule}: ${file} →`);
  });

  test.each(reversed)("$rule: $file", ({ rule, file }) => {
    expect(linted.stdout).toContain(`error ${rule}: ${file} →`);
  });

  test.each(circleFolders)("a cycle in %s, even if one import is only a type", (folder) => {
    expect(linted.stdout).toMatch(new RegExp(`error no-cycles: ${folder}/(left|right)\\.ts →`));
  });

  test("and nothing else", () => {
    expect(linted.exitCode).not.toBe(0);
    const rules = [...linted.stdout.matchAll(/^ *error ([a-z-]+):/gm)].map(([, rule]) => rule);
    expect(rules.filter((rule) => rule !== "no-cycles")).toHaveLength(against.length + reversed.length);
  });
});

test("the lint accepts allowed imports", async () => {
  const { exitCode } = await lint({
    "src/cli/commands/server/a.ts": importing("../../../server/http/b.ts"),
    "src/server/http/b.ts":
      importing("../games/d.ts").replace("other", "value2") + target.replace("value", "unused"),
    "src/server/games/d.ts": importing("../../contract/c.ts").replace("other", "value3"),
    "src/contract/c.ts": importing("../shared/d.ts").replace("other", "value2") + target,
    "src/shared/d.ts": target,
  });
  expect(exitCode).toBe(0);
});

/** Generates files from the commands and the contract: completions, the reference and the OpenAPI document. With --check, it only reports outdated files. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { lazyGroups, loadGroups } from "../src/cli/commands/index.ts";
import { buildOpenApiDocument } from "../src/contract/openapi.ts";
import { completionScripts } from "./completion/scripts.ts";
import { demoExamples } from "./openapi-examples.ts";
import { exportColumnsPage } from "./reference/export-columns.ts";
import { manPages, referenceFiles, referenceFolder } from "./reference/index.ts";
import { limitsPage } from "./reference/limits.ts";
import { metricsPage } from "./reference/metrics.ts";
import { personalDataPage } from "./reference/personal-data.ts";
import { pruningPage } from "./reference/pruning.ts";
import { tablesPage } from "./reference/tables.ts";
import { topicPages } from "./reference/topics.ts";
import { schemaFiles } from "./schemas.ts";

const root = join(import.meta.dirname, "..");
const groups = await loadGroups(Object.keys(lazyGroups));
// npm only links the man pages that the installed package.json lists. It ignores `directories.man` there.
const man = Object.keys(await manPages()).map((path) => `dist/${path}`);
const outputs: Record<string, string> = {
  ...completionScripts(
    groups,
    topicPages(groups).map(({ name, summary }) => ({ word: name, describe: summary })),
  ),
  ...referenceFiles(groups),
  "package.json": `${JSON.stringify({ ...manifest, man: man.sort() }, null, 2)}\n`,
  ...schemaFiles(),
  [`${referenceFolder}/export-columns.md`]: exportColumnsPage(),
  [`${referenceFolder}/limits.md`]: limitsPage(),
  [`${referenceFolder}/metrics.md`]: metricsPage(),
  [`${referenceFolder}/personal-data.md`]: personalDataPage(),
  [`${referenceFolder}/pruning.md`]: pruningPage(),
  [`${referenceFolder}/tables.md`]: tablesPage(),
  "docs/openapi.json": `${JSON.stringify(buildOpenApiDocument(await demoExamples()), null, 2)}\n`,
};

const check = process.argv.includes("--check");
const stale: string[] = [];
for (const [path, content] of Object.entries(outputs)) {
  const file = join(root, path);
  let before = "";
  try {
    before = readFileSync(file, "utf8");
  } catch {}
  if (before === content) continue;
  stale.push(path);
  if (check) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
for (const name of readdirSync(join(root, referenceFolder))) {
  const path = `${referenceFolder}/${name}`;
  if (Object.hasOwn(outputs, path)) continue;
  stale.push(path);
  if (!check) rmSync(join(root, path), { recursive: true });
}
if (check && stale.length > 0) {
  console.error(`Outdated: ${stale.join(", ")}. Run \`npm run generate\`.`);
  process.exitCode = 1;
}

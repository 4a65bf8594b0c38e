/** Writes what is derived from the commands and the contract: help texts, constants, completions, the reference and the OpenAPI document. With --check it only tells what is stale. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { lazyGroups, loadGroups } from "../src/cli/commands/index.ts";
import { buildOpenApiDocument, type OpenApiExamples } from "../src/contract/openapi.ts";
import { completionScripts } from "./completion/scripts.ts";
import { constants } from "./constants.ts";
import { helps } from "./help-texts.ts";
import { demoExamples } from "./openapi-examples.ts";
import { withExportColumns } from "./reference/export-columns.ts";
import { referenceFiles, referenceFolders } from "./reference/index.ts";
import { topicPages } from "./reference/topics.ts";
import { schemaFiles } from "./schemas.ts";

const root = join(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  description: string;
  man: string[];
};
const { version, description } = manifest;

const examples = await demoExamples();
const groups = await loadGroups(Object.keys(lazyGroups));
const reference = referenceFiles(groups, { version, description });
const man = Object.keys(reference).filter((path) => path.startsWith("man/"));
const outputs: Record<string, string> = {
  "src/cli/constants.generated.ts": constants(groups, version),
  "src/cli/help.generated.ts": helps(groups, description),
  "src/contract/openapi-examples.generated.ts": examplesFile(examples),
  ...completionScripts(
    groups,
    topicPages(groups).map(({ name, summary }) => ({ word: name, describe: summary })),
  ),
  ...reference,
  "package.json": `${JSON.stringify({ ...manifest, man: man.sort() }, null, 2)}\n`,
  ...schemaFiles(),
  "docs/export.md": withExportColumns(readFileSync(join(root, "docs/export.md"), "utf8")),
  "docs/openapi.json": `${JSON.stringify(buildOpenApiDocument(examples), null, 2)}\n`,
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
for (const folder of referenceFolders) {
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
    const path = `${folder}/${name}`;
    if (Object.hasOwn(outputs, path)) continue;
    stale.push(path);
    if (!check) rmSync(join(root, path), { recursive: true });
  }
}
if (check && stale.length > 0) {
  console.error(`Stale: ${stale.join(", ")}. Run \`npm run generate\`.`);
  process.exitCode = 1;
}

function examplesFile(all: OpenApiExamples): string {
  return [
    "/** Made by `npm run generate`: what the demo studio answers, for the OpenAPI document. */",
    `export const examples: Readonly<Record<string, unknown>> = ${JSON.stringify(all, null, 2)};`,
    "",
  ].join("\n");
}

/** The licenses of all bundled packages, which must be distributed with the bundle. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./bundle.mjs";

/** The folders of all packages with code in the bundle, from esbuild's metafile. */
export function packagesIn(outputs) {
  const paths = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = paths.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(folders.filter(Boolean))].sort();
}

/** Formats names, versions and license texts of packages in the bundle and in these folders. Throws if one has no license. */
export async function thirdPartyText(outputs, folders) {
  const parts = await Promise.all([...packagesIn(outputs), ...folders].sort().map(formatPackage));
  return `This program contains code of the following packages.\n\n${parts.join("\n")}`;
}

async function formatPackage(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${folder} has no license`);
  const files = await readdir(join(root, folder));
  const terms = files.filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(terms.map((file) => readFile(join(root, folder, file), "utf8")));
  const line = "-".repeat(80);
  return `${line}\n${name} ${version} (${license})\n${line}\n\n${texts.map((text) => `${text.trim()}\n`).join("\n")}`;
}

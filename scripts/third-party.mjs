/** The terms of every package whose code is in the bundle: each asks that they go along. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./bundle.mjs";

/** The folders of the packages that esbuild took code from, by its account of the chunks. */
export function packagesIn(outputs) {
  const paths = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = paths.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(folders.filter(Boolean))].sort();
}

/** A text of names, versions, licences and terms. Throws where a package names no licence. */
export async function thirdPartyText(outputs) {
  const parts = await Promise.all(packagesIn(outputs).map(partOf));
  return `The bundled program holds code of these packages.\n\n${parts.join("\n")}`;
}

async function partOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${folder} names no licence`);
  const files = await readdir(join(root, folder));
  const terms = files.filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(terms.map((file) => readFile(join(root, folder, file), "utf8")));
  const line = "-".repeat(80);
  return `${line}\n${name} ${version} (${license})\n${line}\n\n${texts.map((text) => `${text.trim()}\n`).join("\n")}`;
}

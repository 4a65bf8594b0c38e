/**
 * Writes a Homebrew formula and a Scoop manifest for a release:
 * `node scripts/package-managers.mjs <folder> <url>`. The folder contains the files of the release, and both files are
 * written to it. The URL is the address of the repository.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const manifest = JSON.parse(readFileSync(fileURLToPath(new URL("../package.json", import.meta.url)), "utf8"));
const { version, description, license, name } = manifest;

const [folder, url] = process.argv.slice(2);
if (folder === undefined || !URL.canParse(url ?? "")) {
  console.error("usage: node scripts/package-managers.mjs <folder of the release> <URL of the repository>");
  process.exit(2);
}
const homepage = new URL(url).href.replace(/\/$/, "");

const hashFile = (file) =>
  createHash("sha256")
    .update(readFileSync(join(folder, file)))
    .digest("hex");
const toUrl = (file, tag = `v${version}`) => `${homepage}/releases/download/${tag}/${file}`;

const tarball = `${name}-${version}.tgz`;
const archive = (tag) => `${name}-${tag}-win-x64.zip`;

/** Installs the npm package, as Homebrew's guide for programs in Node recommends: https://docs.brew.sh/Node-for-Formula-Authors */
const values = { description, homepage, license, url: toUrl(tarball), sha256: hashFile(tarball) };
const template = readFileSync(fileURLToPath(new URL("playtest.rb.template", import.meta.url)), "utf8");
const formula = template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);

/** Installs the executable for Windows: https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests */
const scoop = {
  version,
  description,
  homepage,
  license,
  architecture: { "64bit": { url: toUrl(archive(version)), hash: hashFile(archive(version)) } },
  bin: "playtest.exe",
  checkver: { github: homepage },
  autoupdate: { architecture: { "64bit": { url: toUrl(archive("$version"), "v$version") } } },
};

writeFileSync(join(folder, "playtest.rb"), formula);
writeFileSync(join(folder, "playtest.json"), `${JSON.stringify(scoop, null, 2)}\n`);

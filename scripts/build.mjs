/**
 * Builds the program into dist/, or into the given folder. bin.js contains what every start needs, core.js what most
 * commands need, and every other chunk is a separate file. The man pages and the V8 code cache of core.js for this Node
 * are added, and the list of what the action unpacks.
 */
import { copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { bundleScript, root } from "./bundle.mjs";
import { DRIVER, driverFolders, writeCompressed, writeDriver } from "./native-files.mjs";
import { importSource } from "./prepared.mjs";
import { createProgram } from "./program.mjs";
import { createShippedCache } from "./shipped-cache.mjs";
import { thirdPartyText } from "./third-party.mjs";

const target = resolve(process.argv[2] ?? join(root, "dist"));
const staged = join(dirname(target), `.${basename(target)}-${process.pid}`);

const { id, outputs, start, scripts, gateScripts } = await createProgram();
const loader = await bundleScript("scripts/loader.ts", "loader");
const native = await bundleScript("scripts/native.ts", "native");

/** The `require` of the program, whose SQLite driver is in its folder. */
const provide = `(name)=>name==="${DRIVER}"?require("./native.js").requirePackage(__dirname,name):require(name)`;
const files = {
  "bin.js": `"use strict";\n${loader}loader.start(${start},loader.readFolder(__dirname),${provide});\n`,
  "native.js": `"use strict";\n${native}module.exports=native;\n`,
  ...scripts,
  "package.json": '{ "type": "commonjs" }\n',
};

/** Files for rendering PNGs, read on demand: the rasterizer and its font, and the license of the font. */
const { resolve: find } = createRequire(import.meta.url);
const compressed = {
  "resvg.wasm.br": find("@resvg/resvg-wasm/index_bg.wasm"),
  "DejaVuSans.ttf.br": find("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
};
const LICENSE = "DejaVuSans.LICENSE";

await mkdir(join(staged, "man"), { recursive: true });
try {
  await copyFile(find("dejavu-fonts-ttf/LICENSE"), join(staged, LICENSE));
  await writeDriver(staged, target);
  for (const [name, source] of Object.entries(compressed)) await writeCompressed(source, join(staged, name));
  for (const [name, content] of Object.entries(files)) {
    // The loader reads files as latin1, so they must be ASCII.
    if (/[^\x00-\x7f]/.test(content)) throw new Error(`${name} is not ASCII`);
    await writeFile(join(staged, name), content);
  }
  const { manPages } = await importSource(join(root, "scripts/reference/index.ts"));
  for (const [name, content] of Object.entries(await manPages()))
    await writeFile(join(staged, name), content);
  await writeFile(join(staged, "THIRD-PARTY.txt"), await thirdPartyText(outputs, driverFolders));
  await createShippedCache(staged, id);
  await writeFile(join(staged, "gate-files.txt"), await listGateFiles());
  await rm(target, { recursive: true, force: true });
  await rename(staged, target);
} finally {
  await rm(staged, { recursive: true, force: true });
}

/** The paths in the package that action.yml passes to `tar`. */
async function listGateFiles() {
  const caches = (await readdir(staged)).filter((name) => name.endsWith(".cache"));
  const inDist = ["bin.js", "package.json", "THIRD-PARTY.txt", ...gateScripts, ...caches];
  const others = ["package.json", "LICENSE", "bin/package.json", "bin/playtest.js"];
  return [...others, ...inDist.map((name) => `dist/${name}`)].map((path) => `package/${path}\n`).join("");
}

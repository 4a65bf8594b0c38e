/**
 * Builds the program into dist/, or into the folder given: what every start runs in bin.js, what most commands run in
 * core.js, every other chunk in a file of its own, and the compiled form of core.js for this Node.
 */
import { createHash } from "node:crypto";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { bundleLoader, bundleProgram, root } from "./bundle.mjs";
import { chunkGroups } from "./chunk-groups.mjs";
import { makeShippedCache } from "./shipped-cache.mjs";
import { thirdPartyText } from "./third-party.mjs";

const target = resolve(process.argv[2] ?? join(root, "dist"));
const staged = join(dirname(target), `.${basename(target)}-${process.pid}`);

const { bodies, outputs } = await bundleProgram();
const { entry, first, core, apart } = chunkGroups(outputs);

/** A script whose value is an object of chunks, each a function that runs when the chunk is first asked for. */
function scriptOf(names) {
  return `({${names.map((name) => `"./${name}":${functionOf(name)}`).join(",\n")}})\n`;
}

function functionOf(name) {
  return `function(module,exports,require){"use strict";\n${bodies.get(name)}}`;
}

const coreScript = scriptOf(core);
const id = createHash("sha256").update(coreScript).digest("hex").slice(0, 16);

async function headScript() {
  const names = JSON.stringify(core.map((name) => `./${name}`));
  const build = `{chunks:${scriptOf(first).trim()},core:${names},id:"${id}"}`;
  return `"use strict";\n${await bundleLoader()}loader.start("./${entry}",${build},__dirname,require);\n`;
}

const files = {
  "bin.js": await headScript(),
  "core.js": coreScript,
  ...Object.fromEntries(apart.map((name) => [name, scriptOf([name])])),
  "package.json": '{ "type": "commonjs" }\n',
};

/** What draws PNGs, read when one is drawn: the rasterizer, its font, and the terms that the font comes with. */
const { resolve: find } = createRequire(import.meta.url);
const copies = {
  "resvg.wasm": find("@resvg/resvg-wasm/index_bg.wasm"),
  "DejaVuSans.ttf": find("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
  "DejaVuSans.LICENSE": find("dejavu-fonts-ttf/LICENSE"),
};

await mkdir(staged, { recursive: true });
try {
  for (const [name, source] of Object.entries(copies)) await copyFile(source, join(staged, name));
  for (const [name, content] of Object.entries(files)) {
    // The loader reads a byte as a character.
    if (/[^\x00-\x7f]/.test(content)) throw new Error(`${name} is not ASCII`);
    await writeFile(join(staged, name), content);
  }
  await writeFile(join(staged, "THIRD-PARTY.txt"), await thirdPartyText(outputs));
  await makeShippedCache(staged, id);
  await rm(target, { recursive: true, force: true });
  await rename(staged, target);
} finally {
  await rm(staged, { recursive: true, force: true });
}

/**
 * Builds the program into dist/, or into the given folder. bin.js contains what every start needs, core.js what most
 * commands need, and every other chunk is a separate file. The V8 code cache of core.js for this Node is added.
 */
import { createHash } from "node:crypto";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { bundleLoader, bundleProgram, root } from "./bundle.mjs";
import { chunkGroups } from "./chunk-groups.mjs";
import { createShippedCache } from "./shipped-cache.mjs";
import { thirdPartyText } from "./third-party.mjs";

const target = resolve(process.argv[2] ?? join(root, "dist"));
const staged = join(dirname(target), `.${basename(target)}-${process.pid}`);

const { bodies, outputs } = await bundleProgram();
const { entry, first, core, separate } = chunkGroups(outputs);

/** A script that evaluates to an object of chunks, each a function that runs when the chunk is first required. */
function buildScript(names) {
  return `({${names.map((name) => `"./${name}":${buildFunction(name)}`).join(",\n")}})\n`;
}

function buildFunction(name) {
  return `function(module,exports,require){"use strict";\n${bodies.get(name)}}`;
}

const coreScript = buildScript(core);
const id = createHash("sha256").update(coreScript).digest("hex").slice(0, 16);

async function headScript() {
  const names = JSON.stringify(core.map((name) => `./${name}`));
  const build = `{chunks:${buildScript(first).trim()},core:${names},id:"${id}"}`;
  return `"use strict";\n${await bundleLoader()}loader.start("./${entry}",${build},__dirname,require);\n`;
}

const files = {
  "bin.js": await headScript(),
  "core.js": coreScript,
  ...Object.fromEntries(separate.map((name) => [name, buildScript([name])])),
  "package.json": '{ "type": "commonjs" }\n',
};

/** Files for rendering PNGs, read on demand: the rasterizer, its font and the license of the font. */
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
    // The loader reads files as latin1, so they must be ASCII.
    if (/[^\x00-\x7f]/.test(content)) throw new Error(`${name} is not ASCII`);
    await writeFile(join(staged, name), content);
  }
  await writeFile(join(staged, "THIRD-PARTY.txt"), await thirdPartyText(outputs));
  await createShippedCache(staged, id);
  await rm(target, { recursive: true, force: true });
  await rename(staged, target);
} finally {
  await rm(staged, { recursive: true, force: true });
}

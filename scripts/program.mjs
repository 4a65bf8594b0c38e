/** The scripts of the program: what every start runs, `core.js`, and one file for each other chunk. */
import { createHash } from "node:crypto";
import { bundleProgram } from "./bundle.mjs";
import { chunkGroups } from "./chunk-groups.mjs";
import { findGateChunks } from "./gate-files.mjs";

/**
 * Bundles the program. `start`: the first arguments of the loader's `start`, as code. `scripts`: the content of each other
 * file by name. `gateScripts`: the names of those that the action needs. `id`: the hash of `core.js`. `outputs`: the
 * outputs of esbuild's metafile.
 */
export async function createProgram() {
  const { bodies, inputs, outputs } = await bundleProgram();
  const { entries, first, core, separate } = chunkGroups(outputs);
  const build = (names) => buildScript(bodies, names);
  const coreScript = build(core);
  const id = createHash("sha256").update(coreScript).digest("hex").slice(0, 16);
  const gateChunks = findGateChunks({ inputs, outputs });
  const names = JSON.stringify(core.map((name) => `./${name}`));
  const start = JSON.stringify({ main: `./${entries.main}`, worker: `./${entries.worker}` });
  return {
    id,
    outputs,
    gateScripts: ["core.js", ...separate.filter((name) => gateChunks.has(name))],
    start: `${start},{chunks:${build(first).trim()},core:${names},id:"${id}"}`,
    scripts: { "core.js": coreScript, ...Object.fromEntries(separate.map((name) => [name, build([name])])) },
  };
}

/** A script that evaluates to an object of chunks, each a function that runs when the chunk is first required. */
function buildScript(bodies, names) {
  const chunks = names.map(
    (name) => `"./${name}":function(module,exports,require){"use strict";\n${bodies.get(name)}}`,
  );
  return `({${chunks.join(",\n")}})\n`;
}

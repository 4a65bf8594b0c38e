/** Bundles the program in memory. esbuild splits it into chunks, and each becomes the body of a CommonJS module. */
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { preparedModules } from "./prepared.mjs";
import { shareHelpers } from "./share-helpers.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

const shared = {
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  // Short lines make the positions in stack traces useful.
  lineLimit: 160,
  legalComments: "none",
  logLevel: "warning",
};

/** Returns the code of each chunk by name, and the inputs and outputs of esbuild's metafile. */
export async function bundleProgram() {
  // esbuild only splits ES modules, but Node starts CommonJS faster.
  const { outputFiles, metafile } = await build({
    ...shared,
    absWorkingDir: root,
    entryPoints: { main: "src/bin.ts", worker: "src/worker.ts" },
    outdir: "chunks",
    bundle: true,
    splitting: true,
    format: "esm",
    external: ["@napi-rs/keyring", "@photostructure/sqlite", "node:sqlite"],
    // The package `sentiment` loads additional languages by name. It contains only English, which is imported directly.
    logOverride: { "empty-glob": "silent" },
    plugins: [preparedModules],
    alias: { "when-exit": join(root, "scripts/no-exit-hook.mjs") },
    metafile: true,
    write: false,
  });
  const bodies = new Map();
  for (const { path, text } of outputFiles) {
    const supported = { "dynamic-import": false };
    // Node does not load the chunks as modules, so the loader provides their file name.
    const define = { "import.meta.filename": "require.filename" };
    const { code } = await transform(text, { ...shared, format: "cjs", supported, define });
    bodies.set(basename(path), shareHelpers(code));
  }
  return { bodies, inputs: metafile.inputs, outputs: metafile.outputs };
}

/** Returns a source file with its imports as a statement that declares `name`. */
export async function bundleScript(file, name) {
  const { outputFiles } = await build({
    ...shared,
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    format: "iife",
    globalName: name,
    write: false,
  });
  return outputFiles[0].text;
}

/** Bundles the program in memory: its chunks as esbuild splits them, each turned into the body of a CommonJS module. */
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { shareHelpers } from "./share-helpers.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

const shared = {
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  // Lines short enough that a stack trace says where it was.
  lineLimit: 160,
  legalComments: "none",
  logLevel: "warning",
};

/** The chunks of the program: their code by name, and esbuild's account of what is in each. */
export async function bundleProgram() {
  // esbuild splits ES modules alone; Node starts CommonJS quicker.
  const { outputFiles, metafile } = await build({
    ...shared,
    absWorkingDir: root,
    entryPoints: { main: "src/bin.ts" },
    outdir: "chunks",
    bundle: true,
    splitting: true,
    format: "esm",
    external: ["@napi-rs/keyring", "@photostructure/sqlite", "node:sqlite"],
    // The lexicon's package finds further languages by name; it has none, and English is named outright.
    logOverride: { "empty-glob": "silent" },
    alias: { "when-exit": join(root, "scripts/no-exit-hook.mjs") },
    metafile: true,
    write: false,
  });
  const bodies = new Map();
  for (const { path, text } of outputFiles) {
    const supported = { "dynamic-import": false };
    // The chunks are no modules of Node; the loader tells them where they are.
    const define = { "import.meta.filename": "require.filename" };
    const { code } = await transform(text, { ...shared, format: "cjs", supported, define });
    bodies.set(basename(path), shareHelpers(code));
  }
  return { bodies, outputs: metafile.outputs };
}

/** The loader as a statement that declares `loader`. */
export async function bundleLoader() {
  const { outputFiles } = await build({
    ...shared,
    absWorkingDir: root,
    entryPoints: ["scripts/loader.ts"],
    bundle: true,
    format: "iife",
    globalName: "loader",
    write: false,
  });
  return outputFiles[0].text;
}

/** Bundles the program into dist/: split by command group, every heavy package in a chunk of its own, as CommonJS. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const staged = join(dist, ".staged");

await rm(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { bin: "src/bin.ts" },
  outdir: staged,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["@photostructure/sqlite", "node:sqlite"],
  alias: { "when-exit": join(root, "scripts/no-exit-hook.mjs") },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
});

// esbuild splits ES modules alone; each chunk is then turned into CommonJS, which Node starts quicker.
await mkdir(dist, { recursive: true });
for (const name of await readdir(staged)) {
  const source = await readFile(join(staged, name), "utf8");
  const { code } = await transform(source, {
    format: "cjs",
    platform: "node",
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    supported: { "dynamic-import": false },
    legalComments: "none",
  });
  await writeFile(join(dist, name), code);
}
await writeFile(join(dist, "package.json"), '{ "type": "commonjs" }\n');
await rm(staged, { recursive: true });

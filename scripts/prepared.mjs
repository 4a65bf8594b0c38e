/**
 * Prepares texts that take long to compute. In the sources, a module named `*.prepared.ts` computes its exports when it is
 * imported. The build imports it once, and the bundle contains only the values of its exports.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** An esbuild plugin that gives each module its own folder, although all of them are in one file. */
const ownFolders = {
  name: "own-folders",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const folder = JSON.stringify(dirname(path));
      return { contents: source.replaceAll("import.meta.dirname", folder), loader: "ts" };
    });
  },
};

/** Imports a TypeScript module. It is bundled first, which is much faster than loading its imports one by one. */
export async function importSource(path) {
  // Within the project, so that imports of packages are resolved.
  const folder = await mkdtemp(join(root, ".dist-"));
  const outfile = join(folder, "module.mjs");
  const options = { platform: "node", format: "esm", packages: "external", logLevel: "warning" };
  try {
    await build({ ...options, entryPoints: [path], outfile, bundle: true, plugins: [ownFolders] });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** An esbuild plugin that replaces prepared modules with their values, which must be JSON. */
export const preparedModules = {
  name: "prepared-modules",
  setup({ onLoad }) {
    onLoad({ filter: /\.prepared\.ts$/ }, async ({ path }) => {
      const values = Object.entries(await importSource(path));
      const lines = values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      return { contents: lines.join("\n"), loader: "js" };
    });
  },
};

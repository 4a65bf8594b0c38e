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
      const lines = values.map(([name, value]) => `export const ${name} = ${formatValue(value)};`);
      return { contents: lines.join("\n"), loader: "js" };
    });
  },
};

/** How often a line must occur to be stored once, and its shortest length. */
const MIN_REPEATS = 4;
const MIN_LENGTH = 8;

/** The expression of a value. Lines that many texts of an object have, such as flags in help, are stored once. */
function formatValue(value) {
  const isTexts = typeof value === "object" && Object.values(value).every((text) => typeof text === "string");
  const texts = JSON.stringify(value);
  // A tab marks the number of a shared line.
  if (!isTexts || texts.includes("\\t")) return texts;
  const counts = new Map();
  const split = Object.entries(value).map(([key, text]) => [key, text.split("\n")]);
  for (const line of split.flatMap(([, lines]) => lines)) counts.set(line, (counts.get(line) ?? 0) + 1);
  const isShared = ([line, count]) => count >= MIN_REPEATS && line.length >= MIN_LENGTH;
  const shared = [...counts].filter(isShared).map(([line]) => line);
  const numbers = new Map(shared.map((line, at) => [line, `\t${at}`]));
  const packed = split.map(([key, lines]) => [
    key,
    lines.map((line) => numbers.get(line) ?? line).join("\n"),
  ]);
  const expand = "text.replace(/\\t(\\d+)/g, (_, at) => shared[at])";
  const inputs = `${JSON.stringify(shared)}, ${JSON.stringify(Object.fromEntries(packed))}`;
  const expression = `((shared, packed) => Object.fromEntries(Object.entries(packed).map(([key, text]) => [key, ${expand}])))(${inputs})`;
  return expression.length < texts.length ? expression : texts;
}

/** Sorts the chunks of a build: those every start runs, those that commands have in common, and the rest. */
import { basename } from "node:path";

/** What a plain command runs, from its line to its table: these and all they import make up the common file. */
const HOT = [
  "src/cli/run.ts",
  "src/cli/commands/games/index.ts",
  "src/client/http-transport.ts",
  "src/render/table.ts",
];

/** What a shell waits for at a key press: it may read one file beside the entry, and what it shares with commands is in the entry. */
const AT_A_KEY = "src/cli/completion/answer.ts";

/**
 * Reads esbuild's account of the outputs. `first` is what the entry runs at once, `core` what else every plain command
 * runs, `apart` what is left: a file each.
 */
export function chunkGroups(outputs) {
  const chunks = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const chunkOf = (source) => {
    for (const [name, { entryPoint, inputs }] of chunks)
      if (entryPoint === source || source in inputs) return name;
    throw new Error(`${source} is in no chunk`);
  };
  const addClosure = (name, found) => {
    if (found.has(name)) return;
    found.add(name);
    for (const { path, kind, external } of chunks.get(name).imports) {
      if (kind === "import-statement" && !external) addClosure(basename(path), found);
    }
  };
  const entry = chunkOf("src/bin.ts");
  const first = new Set();
  addClosure(entry, first);
  const hot = new Set();
  for (const source of HOT) addClosure(chunkOf(source), hot);
  const atKey = new Set();
  addClosure(chunkOf(AT_A_KEY), atKey);
  for (const name of atKey) if (hot.has(name)) first.add(name);
  const core = [...hot].filter((name) => !first.has(name)).sort();
  const apart = [...chunks.keys()].filter((name) => !first.has(name) && !hot.has(name)).sort();
  return { entry, first: [...first], core, apart };
}

/** Groups the chunks of a build by how often they are needed: at every start, by most commands, or rarely. */
import { basename } from "node:path";

/** What a typical command runs. These files and their imports are the chunks that most commands need. */
const COMMON_SOURCES = [
  "src/cli/run.ts",
  "src/cli/commands/games/index.ts",
  "src/client/http-transport.ts",
  "src/render/table.ts",
];

/**
 * What shell completion runs. A shell waits for it after a key press, so it loads only the entry and one other file: chunks
 * that it shares with commands are in the entry.
 */
const COMPLETION_SOURCE = "src/cli/completion/answer.ts";

/**
 * Groups the outputs of esbuild's metafile. `entries`: the chunks that the program and its workers start with. `first`: the chunks that the entry runs immediately. `core`: the other chunks
 * that a typical command runs. `separate`: all other chunks, each of which becomes its own file.
 */
export function chunkGroups(outputs) {
  const chunks = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const findChunk = (source) => {
    for (const [name, { entryPoint, inputs }] of chunks)
      if (entryPoint === source || source in inputs) return name;
    throw new Error(`${source} is in no chunk`);
  };
  const addClosure = (name, closure) => {
    if (closure.has(name)) return;
    closure.add(name);
    for (const { path, kind, external } of chunks.get(name).imports) {
      if (kind === "import-statement" && !external) addClosure(basename(path), closure);
    }
  };
  const entry = findChunk("src/bin.ts");
  const first = new Set();
  addClosure(entry, first);
  const common = new Set();
  for (const source of COMMON_SOURCES) addClosure(findChunk(source), common);
  const completion = new Set();
  addClosure(findChunk(COMPLETION_SOURCE), completion);
  for (const name of completion) if (common.has(name)) first.add(name);
  const core = [...common].filter((name) => !first.has(name)).sort();
  const separate = [...chunks.keys()].filter((name) => !first.has(name) && !common.has(name)).sort();
  const entries = { main: entry, worker: findChunk("src/worker.ts") };
  return { entries, first: [...first], core, separate };
}

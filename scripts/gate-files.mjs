/** The files that the action unpacks: what `gate` and `builds register` may load, from esbuild's metafile. */
import { basename } from "node:path";

/** Loads each command when it is used, so what it imports is not followed. */
const COMMAND_TABLE = "src/cli/commands/index.ts";
const ENTRY = "src/bin.ts";
/** The commands that the action runs, and the groups that import them. */
const COMMANDS = ["src/cli/commands/gate/gate.ts", "src/cli/commands/builds/register.ts"];
const GROUPS = ["src/cli/commands/gate/index.ts", "src/cli/commands/builds/index.ts"];

/** The chunks that the commands of the action may load. */
export function findGateChunks({ inputs, outputs }) {
  for (const source of [ENTRY, COMMAND_TABLE, ...COMMANDS, ...GROUPS])
    if (!(source in inputs)) throw new Error(`${source} is not part of the program`);
  // The other commands of the groups are imported, too, but what they load later is not needed.
  const sources = new Set([...findSources(inputs, [ENTRY, ...COMMANDS]), ...GROUPS]);
  const chunks = new Set();
  for (const [path, output] of Object.entries(outputs))
    if (containsAny(output, sources)) addImports(outputs, path, chunks);
  return new Set([...chunks].map((path) => basename(path)));
}

/** The source files and everything that they import, at their start or later. */
function findSources(inputs, entries) {
  const found = new Set();
  const pending = [...entries];
  for (let source = pending.pop(); source !== undefined; source = pending.pop()) {
    if (found.has(source)) continue;
    found.add(source);
    for (const { path, kind, external } of inputs[source]?.imports ?? [])
      if (!external && !(source === COMMAND_TABLE && kind === "dynamic-import")) pending.push(path);
  }
  return found;
}

function containsAny({ entryPoint, inputs }, sources) {
  if (sources.has(entryPoint)) return true;
  return Object.entries(inputs).some(
    ([source, { bytesInOutput }]) => bytesInOutput > 0 && sources.has(source),
  );
}

/** Adds a chunk and those that it imports at its start. */
function addImports(outputs, path, chunks) {
  if (chunks.has(path)) return;
  chunks.add(path);
  for (const { path: imported, kind, external } of outputs[path].imports)
    if (kind === "import-statement" && !external) addImports(outputs, imported, chunks);
}

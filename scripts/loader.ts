/**
 * The head of the built program: holds its chunks in few files, and compiles the large one from V8's code cache where
 * a cache fits. `scripts/build.mjs` puts it in front of `dist/bin.js`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { keepCache, readShippedCache, readUserCache } from "./code-cache.ts";

/** What a chunk asks for others with; `filename` stands in for `import.meta.filename`. */
type Require = ((name: string) => unknown) & {
  filename?: string;
  expose?: typeof expose;
  toESM?: typeof toEsm;
};
type Chunk = (module: { exports: unknown }, exports: unknown, require: Require) => void;
type Chunks = Record<string, Chunk>;

/** What the build knows of the program it made. */
export interface Build {
  /** The chunks that every start needs, by name. */
  readonly chunks: Chunks;
  /** The names of the chunks in `core.js`; any other is a file of its own. */
  readonly core: readonly string[];
  /** The hash of `core.js`. */
  readonly id: string;
}

/** Node's modules that are imported by what every command loads and used by few: loaded at their first use. */
const LAZY = new Set(["node:child_process", "node:os", "node:tty"]);

const CORE = "core.js";
/** The folder as stack traces show it. A cache holds the names it was made with, so they are the same everywhere. */
const SHOWN = "playtest/dist/";

/** Runs the program's first chunk, and loads the others as they are asked for. */
export function start(entry: string, build: Build, folder: string, nodeRequire: Require): void {
  const chunks: Chunks = { ...build.chunks };
  const modules = new Map<string, { exports: unknown }>();
  const core = new Set(build.core);

  const load: Require = (name) => {
    if (!name.startsWith("./")) return LAZY.has(name) ? atFirstUse(name, nodeRequire) : nodeRequire(name);
    const known = modules.get(name);
    if (known) return known.exports;
    if (!chunks[name])
      Object.assign(chunks, core.has(name) ? readCore(folder, build.id) : readFile(folder, name));
    const module = { exports: {} };
    modules.set(name, module);
    chunks[name]?.(module, module.exports, load);
    return module.exports;
  };
  load.filename = join(folder, "bin.js");
  load.expose = expose;
  load.toESM = toEsm;
  load(entry);
}

/** Sets what a chunk exports: a getter for each name, because a binding may change after others have imported it. */
function expose(module: { exports: unknown }, getters: Record<string, () => unknown>): void {
  const exports = Object.defineProperty({}, "__esModule", { value: true });
  for (const [name, get] of Object.entries(getters))
    Object.defineProperty(exports, name, { get, enumerable: true });
  module.exports = exports;
}

/** A CommonJS module as an ES module imports it: its `default` is the module itself, its properties are read live. */
function toEsm(module: object | null, isNodeMode?: number): object {
  const target = module === null ? {} : Object.create(Object.getPrototypeOf(module));
  const isEsm = module !== null && (module as { __esModule?: unknown }).__esModule;
  if (isNodeMode || !isEsm) Object.defineProperty(target, "default", { value: module, enumerable: true });
  if (module === null) return target;
  for (const name of Object.getOwnPropertyNames(module)) {
    if (Object.hasOwn(target, name)) continue;
    const { enumerable = true } = Object.getOwnPropertyDescriptor(module, name) ?? {};
    Object.defineProperty(target, name, { get: () => Reflect.get(module, name), enumerable });
  }
  return target;
}

/** A module of Node that is loaded when a property of it is read. */
function atFirstUse(name: string, nodeRequire: Require): object {
  return new Proxy({}, { get: (_, key) => Reflect.get(nodeRequire(name) as object, key) });
}

function readFile(folder: string, name: string): Chunks {
  return new Script(readFileSync(join(folder, name), "latin1"), {
    filename: SHOWN + name.slice(2),
  }).runInThisContext() as Chunks;
}

/** The chunks of `core.js`: compiled from a cache, else from their source, which leaves a cache for the next start. */
function readCore(folder: string, id: string): Chunks {
  const source = readFileSync(join(folder, CORE), "latin1");
  const off = process.env.NODE_DISABLE_COMPILE_CACHE;
  const cachedData = off ? null : (readShippedCache(folder, id) ?? readUserCache(id));
  const script = new Script(source, { filename: SHOWN + CORE, ...(cachedData ? { cachedData } : {}) });
  if (!off && !cachedData) keepCache(id, () => script.createCachedData());
  return script.runInThisContext() as Chunks;
}

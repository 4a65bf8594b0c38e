/**
 * Loads the chunks of the built program from a few files, and compiles the largest file from V8's code cache if there is
 * one. `scripts/build.mjs` puts this code at the start of `dist/bin.js`.
 */
import { Script } from "node:vm";
import { WORKER_VARIABLE } from "../src/shared/start-worker.ts";
import { readShippedCache, readUserCache, writeUserCacheOnExit } from "./code-cache.ts";
import type { ProgramFiles } from "./program-files.ts";

export { readFolder } from "./program-files.ts";

/** The `require` function of a chunk. `filename` replaces `import.meta.filename`. */
export type Require = ((name: string) => unknown) & {
  filename?: string;
  expose?: typeof expose;
  toESM?: typeof toEsm;
};
type Chunk = (module: { exports: unknown }, exports: unknown, require: Require) => void;
type Chunks = Record<string, Chunk>;

/** The program as `scripts/build.mjs` passes it. */
export interface Build {
  /** The chunks that every start needs, by name. */
  readonly chunks: Chunks;
  /** The names of the chunks in `core.js`. Each other chunk is a separate file. */
  readonly core: readonly string[];
  /** The hash of `core.js`. */
  readonly id: string;
}

/** Modules of Node that every command imports but few use. They are loaded at their first use. */
const LAZY = new Set(["node:child_process", "node:os", "node:tty"]);

const CORE = "core.js";
/** The folder in stack traces. A code cache contains file names, so they must not depend on where the program is installed. */
const DISPLAY_FOLDER = "playtest/dist/";

/** The first chunks of the program and of its workers. */
interface Entries {
  readonly main: string;
  readonly worker: string;
}

/** Runs the first chunk of the program, or of one of its workers. Other chunks are loaded when they are required. */
export function start(entries: Entries, build: Build, files: ProgramFiles, nodeRequire: Require): void {
  const chunks: Chunks = { ...build.chunks };
  const modules = new Map<string, { exports: unknown }>();
  const core = new Set(build.core);

  const load: Require = (name) => {
    if (!name.startsWith("./")) return LAZY.has(name) ? lazyModule(name, nodeRequire) : nodeRequire(name);
    const loaded = modules.get(name);
    if (loaded) return loaded.exports;
    if (!chunks[name])
      Object.assign(chunks, core.has(name) ? readCore(files, build.id) : readChunkFile(files, name));
    const module = { exports: {} };
    modules.set(name, module);
    chunks[name]?.(module, module.exports, load);
    return module.exports;
  };
  load.filename = files.filename;
  load.expose = expose;
  load.toESM = toEsm;
  load(process.env[WORKER_VARIABLE] && process.send ? entries.worker : entries.main);
}

/** Sets what a chunk exports: a getter for each name, because a binding may change after others have imported it. */
function expose(module: { exports: unknown }, getters: Record<string, () => unknown>): void {
  const exports = Object.defineProperty({}, "__esModule", { value: true });
  for (const [name, get] of Object.entries(getters))
    Object.defineProperty(exports, name, { get, enumerable: true });
  module.exports = exports;
}

/**
 * Converts a CommonJS module to what an ES module imports, like esbuild's `__toESM`: `default` is the module itself, and its
 * properties are read through getters.
 */
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

/** Returns a proxy that loads a module of Node when a property is read. */
function lazyModule(name: string, nodeRequire: Require): object {
  return new Proxy({}, { get: (_, key) => Reflect.get(nodeRequire(name) as object, key) });
}

function readChunkFile(files: ProgramFiles, name: string): Chunks {
  const file = name.slice(2);
  return new Script(files.read(file).toString("latin1"), {
    filename: DISPLAY_FOLDER + file,
  }).runInThisContext() as Chunks;
}

/** Compiles `core.js` from a cache, or from its source. In the second case, a cache is written for the next start. */
function readCore(files: ProgramFiles, id: string): Chunks {
  const source = files.read(CORE).toString("latin1");
  const isDisabled = process.env.NODE_DISABLE_COMPILE_CACHE;
  const cachedData = isDisabled ? null : (readShippedCache(files, id) ?? readUserCache(id));
  const script = new Script(source, {
    filename: DISPLAY_FOLDER + CORE,
    ...(cachedData ? { cachedData } : {}),
  });
  if (!isDisabled && !cachedData) writeUserCacheOnExit(id, () => script.createCachedData());
  return script.runInThisContext() as Chunks;
}

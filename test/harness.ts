/** The test harness: a fresh service with a fixed clock, and the command line in the same process. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { Io } from "../src/cli/io.ts";
import { main } from "../src/cli/main.ts";
import type { Transport } from "../src/client/transport.ts";
import { createAccount, issueKeys, type NewApiKeys } from "../src/server/accounts/accounts.ts";
import { systemDependencies } from "../src/server/core/dependencies.ts";
import { ensureGame } from "../src/server/games/games.ts";
import type { App } from "../src/server/http/app.ts";
import { type RunningService, type ServiceOptions, startService } from "../src/server/start.ts";
import { openTestStore, resolveDatabase } from "./engine.ts";

export { copyDatabase, engine, openTestStore } from "./engine.ts";

/** The initial time of test clocks: 2026-03-01T12:00:00Z. */
export const NOW = Date.UTC(2026, 2, 1, 12);

export const BASE_URL = "http://127.0.0.1:4400";

/** A clock that only changes when a test sets it. */
export interface Clock {
  /** Unix ms. */
  now: number;
  /** The monotonic clock of a service, ms (default: the real one). Changing `now` adjusts only the wall clock. */
  elapsed?: number;
}

/** A service with an account and its keys. */
/** A key of each kind. */
export interface TestKeys extends NewApiKeys {
  readonly ci: string;
}

export interface TestService extends RunningService {
  readonly accountId: string;
  readonly keys: TestKeys;
  readonly clock: Clock;
  /** The number in the next id. */
  readonly ids: { next: number };
  /** Faults that the service reported. */
  readonly faults: unknown[];
  /** Sends a request, with the management key by default. */
  get(
    path: string,
    options?: { key?: string | null; method?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Sends a JSON body, with the ingest key by default. */
  post(
    path: string,
    body: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Creates a game and returns its id. */
  addGame(slug: string, name?: string): Promise<string>;
  /** Creates another account with its own keys. */
  addAccount(name: string): Promise<{ accountId: string; keys: TestKeys }>;
}

type Body = NonNullable<RequestInit["body"]>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary responses
  readonly json: any;
}

export type TestServiceOptions = Partial<ServiceOptions> & {
  readonly database?: string;
  readonly clock?: Clock;
  /** A stopped service on the same database, whose account, keys and clock are used again. */
  readonly continues?: Pick<TestService, "accountId" | "keys" | "clock" | "ids">;
};

/**
 * Starts a service that validates its responses against the contract. By default, it uses a new in-memory database and
 * has no rate limits.
 */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { database = ":memory:", continues, ...others } = options;
  const { clock = continues?.clock ?? { now: NOW }, ...rest } = others;
  const faults: unknown[] = [];
  const ids = continues?.ids ?? { next: 0 };
  const dependencies = {
    now: () => clock.now,
    monotonicNow: () => clock.elapsed ?? systemDependencies.monotonicNow(),
    newId: (kind: string) => `${kind}_${(ids.next++).toString(16).padStart(24, "0")}`,
    report: (message: string, error: unknown) => void faults.push(message, error),
  };
  const store = rest.store ?? (await openTestStore(database));
  const running = await startService({
    store,
    limits: "off",
    validateResponses: true,
    dependencies,
    ...rest,
  });
  const { service, app } = running;
  const account = continues
    ? { id: continues.accountId }
    : await createAccount(store.writeDb, service, "studio");
  const withCiKey = (accountId: string, issued: NewApiKeys): TestKeys => ({
    ...issued,
    ci: service.temporaryKeys.issue(accountId, "ci", clock.now),
  });
  const issued = continues?.keys ?? (await issueKeys(store.writeDb, service, account.id));
  const keys = withCiKey(account.id, issued);
  return {
    ...running,
    accountId: account.id,
    keys,
    clock,
    ids,
    faults,
    get: (path, { key = keys.management, method = "GET", headers = {} } = {}) =>
      send(app, path, { method, headers: { ...bearer(key), ...headers } }),
    post: (path, body, { key = keys.ingest, headers = {} } = {}) =>
      send(app, path, {
        method: "POST",
        headers: { ...bearer(key), "content-type": "application/json", ...headers },
        body: typeof body === "string" || body instanceof Uint8Array ? (body as Body) : JSON.stringify(body),
      }),
    addGame: async (slug, name) =>
      (await ensureGame(store.writeDb, service, account.id, slug, name ? { name } : {})).id,
    async addAccount(name) {
      const other = await createAccount(store.writeDb, service, name);
      const otherKeys = await issueKeys(store.writeDb, service, other.id);
      return { accountId: other.id, keys: withCiKey(other.id, otherKeys) };
    },
  };
}

/** Starts a service on a database file. `database` is the name by which commands open it. */
export async function startFileService() {
  const folder = freshFolder();
  const file = join(folder, "play.db");
  const service = await startTestService({ database: file });
  return { service, folder, database: await resolveDatabase(file) };
}

function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** Sends a request to an app without a socket. */
export async function send(
  app: App,
  path: string,
  init: RequestInit,
  address = "127.0.0.1",
): Promise<Answer> {
  const response = await app.fetch(new Request(BASE_URL + path, init), { address });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {}
  return { status: response.status, headers: response.headers, text, json };
}

/** A client transport that calls an app directly, without a socket. */
export function createAppTransport(app: App): Transport {
  return async ({ method, url, headers, body, signal, streamed }) => {
    signal?.throwIfAborted();
    const request = new Request(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: body as Body }),
    });
    const response = await app.fetch(request);
    if (streamed && response.body && response.status === 200) {
      const { body: open } = response;
      const reader = open.getReader();
      signal?.addEventListener("abort", () => void reader.cancel(), { once: true });
      const stream = (async function* () {
        for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
      })();
      return { status: 200, headers: Object.fromEntries(response.headers), body: "", stream };
    }
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
}

/** Creates an empty temporary folder. */
export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), "playtest-test-"));
}

export interface CliOptions {
  /** A service in the same process. Its base URL and keys are set in the environment; `env` can override them. */
  readonly service?: TestService;
  readonly transport?: Transport;
  readonly env?: Record<string, string | undefined>;
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly tty?: boolean;
  /** The keys that a person types at the prompts of a terminal. Without them, stdin is not a terminal. */
  readonly typed?: string;
  readonly columns?: number;
  readonly colors?: 0 | 1 | 2 | 3;
  /** The folder for config and state (default: a new folder). */
  readonly home?: string;
  /** Where the config is, and the state (default: folders of `home`). */
  readonly configDir?: string;
  readonly stateDir?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Called for every write to stdout. */
  readonly onOut?: (text: string) => void;
  /** The error that every write to stdout throws. */
  readonly outFault?: Error;
  /** The error that every write to stderr throws. */
  readonly errFault?: Error;
  /** The clock of the run (default: that of the service, or a new clock). */
  readonly clock?: Clock;
}

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The duration of every wait, ms. Waits return at once and advance the clock of the run. */
  readonly waits: number[];
  /** The first line of each spinner; empty without a terminal. */
  readonly progress: string;
  readonly home: string;
}

/** Runs a command line in this process. */
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { service, home = freshFolder(), tty = false } = options;
  const out: string[] = [];
  const err: string[] = [];
  const spinnerLines: string[] = [];
  const waits: number[] = [];
  let elapsed = 0;
  const clock = options.clock ?? service?.clock ?? { now: NOW };
  const transport = options.transport ?? (service ? createAppTransport(service.app) : undefined);
  const serviceEnv = service
    ? {
        PLAYTEST_BASE_URL: BASE_URL,
        PLAYTEST_KEY: service.keys.management,
        PLAYTEST_INGEST_KEY: service.keys.ingest,
        PLAYTEST_CI_KEY: service.keys.ci,
      }
    : {};
  const createOutput = (chunks: string[], fault?: Error) => ({
    isTTY: tty,
    columns: tty ? (options.columns ?? 80) : undefined,
    colors: tty ? (options.colors ?? 0) : (0 as const),
    async write(data: string | Uint8Array) {
      if (fault) throw fault;
      const text = typeof data === "string" ? data : Buffer.from(data).toString("latin1");
      chunks.push(text);
      if (chunks === out) options.onOut?.(text);
    },
  });
  const io: Io = {
    out: createOutput(out, options.outFault),
    err: {
      ...createOutput(err, options.errFault),
      ...(tty ? { stream: createSpinnerStream(spinnerLines) } : {}),
    },
    stdin: {
      isTTY: options.typed !== undefined,
      read: () => streamInput(options.stdin ?? ""),
      ...(options.typed === undefined ? {} : { stream: createTypedStream(options.typed) }),
    },
    env: { ...serviceEnv, ...options.env },
    cwd: options.cwd ?? home,
    home,
    configDir: options.configDir ?? join(home, "config"),
    stateDir: options.stateDir ?? join(home, "state"),
    self: [process.execPath, join(import.meta.dirname, "..", "bin", "playtest.js")],
    platform: { node: process.version, os: process.platform, arch: process.arch },
    pid: process.pid,
    isAlive: (pid) => pid === process.pid,
    now: () => clock.now,
    monotonicNow: () => elapsed,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      clock.now += ms;
      elapsed += ms;
    },
    random: () => 0.5,
    signal: options.signal ?? new AbortController().signal,
    interruptible: (work) => work(),
    ...(transport ? { transport } : {}),
  };
  const code = await main(argv, io);
  return { code, out: out.join(""), err: err.join(""), waits, progress: spinnerLines.join(""), home };
}

/** The keyboard of a terminal. Every line is typed when the prompt before it was answered. */
function createTypedStream(typed: string): NodeJS.ReadStream {
  const lines = typed.split(/(?<=\n)/);
  const stream = new PassThrough();
  stream.on("newListener", (event) => {
    if (event === "keypress") setImmediate(() => stream.write(lines.shift() ?? ""));
  });
  return stream as unknown as NodeJS.ReadStream;
}

/** A stream that is not a terminal, so that a spinner writes only its first line. */
function createSpinnerStream(lines: string[]): NodeJS.WriteStream {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  // A prompt that is answered ends the stream that it pipes to, but Node never ends stderr like this.
  stream.end = () => stream;
  return stream as NodeJS.WriteStream;
}

async function* streamInput(input: NonNullable<CliOptions["stdin"]>): AsyncGenerator<Uint8Array> {
  if (typeof input === "object" && Symbol.asyncIterator in input) yield* input;
  else if (input.length > 0) yield typeof input === "string" ? Buffer.from(input) : input;
}

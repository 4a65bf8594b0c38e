/** What tests stand on: a fresh service with a fixed clock, and the command line in the same process in front of it. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Io } from "../src/cli/io.ts";
import { main } from "../src/cli/main.ts";
import type { Transport } from "../src/client/transport.ts";
import { createAccount, issueKeys, type NewApiKeys } from "../src/server/accounts/accounts.ts";
import { ensureGame } from "../src/server/games/games.ts";
import type { App } from "../src/server/http/app.ts";
import { type RunningService, type ServiceOptions, startService } from "../src/server/start.ts";
import { openTestStore } from "./engine.ts";

export { copyDatabase, engine, openTestStore } from "./engine.ts";

/** The time at which a test's clock stands until it is moved: 2026-03-01T12:00:00Z. */
export const NOW = Date.UTC(2026, 2, 1, 12);

export const BASE_URL = "http://127.0.0.1:4400";

/** A clock that stands still until it is moved. */
export interface Clock {
  now: number;
}

/** A service with an account and its keys. */
export interface TestService extends RunningService {
  readonly accountId: string;
  readonly keys: NewApiKeys;
  readonly clock: Clock;
  /** The number in the next id. */
  readonly ids: { next: number };
  /** Faults that the service reported. */
  readonly faults: unknown[];
  /** Sends a request with the management key, or another's. */
  get(
    path: string,
    options?: { key?: string | null; method?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Sends a JSON body with the ingest key, or another's. */
  post(
    path: string,
    body: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Makes a game and answers its id. */
  addGame(slug: string, name?: string): Promise<string>;
  /** Makes another account with its own keys. */
  addAccount(name: string): Promise<{ accountId: string; keys: NewApiKeys }>;
}

/** What a request carries. */
type Body = NonNullable<RequestInit["body"]>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever was answered
  readonly json: any;
}

export type TestServiceOptions = Partial<ServiceOptions> & {
  readonly database?: string;
  readonly clock?: Clock;
  /** A stopped service on the same database: its account, keys and clock go on. */
  readonly continues?: TestService;
};

/** Starts a service on a fresh database in memory, its limits off unless told, its answers checked against the contract. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { database = ":memory:", continues, ...others } = options;
  const { clock = continues?.clock ?? { now: NOW }, ...rest } = others;
  const faults: unknown[] = [];
  const ids = continues?.ids ?? { next: 0 };
  const surroundings = {
    now: () => clock.now,
    newId: (kind: string) => `${kind}_${(ids.next++).toString(16).padStart(24, "0")}`,
    report: (what: string, error: unknown) => void faults.push(what, error),
  };
  const store = rest.store ?? (await openTestStore(database));
  const running = await startService({
    store,
    limits: "off",
    validateResponses: true,
    dependencies: surroundings,
    ...rest,
  });
  const { service, app } = running;
  const account = continues
    ? { id: continues.accountId }
    : await createAccount(store.writeDb, service, "studio");
  const keys = continues?.keys ?? (await issueKeys(store.writeDb, service, account.id));
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
      return { accountId: other.id, keys: await issueKeys(store.writeDb, service, other.id) };
    },
  };
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

/** A transport straight into an app. */
export function transportOf(app: App): Transport {
  return async ({ method, url, headers, body, signal }) => {
    signal?.throwIfAborted();
    const request = new Request(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: body as Body }),
    });
    const response = await app.fetch(request);
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
}

/** A fresh folder. */
export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), "playtest-test-"));
}

export interface CliOptions {
  /** Served in the same process; its base URL and keys are in the environment unless told otherwise. */
  readonly service?: TestService;
  readonly transport?: Transport;
  readonly env?: Record<string, string | undefined>;
  readonly stdin?: string | Uint8Array;
  readonly tty?: boolean;
  readonly columns?: number;
  readonly colors?: 0 | 1 | 2 | 3;
  /** The home of config and state; a fresh folder unless told. */
  readonly home?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Told of every write to stdout, as it is written. */
  readonly onOut?: (text: string) => void;
  /** What every write to stdout fails with. */
  readonly outFault?: Error;
  /** What every write to stderr fails with. */
  readonly errFault?: Error;
  /** The clock of the run; the service's, or one of its own, unless told. */
  readonly clock?: Clock;
}

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Every wait, ms: they pass at once, on the run's clock. */
  readonly waits: number[];
  /** What a spinner first showed; nothing without a terminal. */
  readonly progress: string;
  readonly home: string;
}

/** Runs a command line in this process. */
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { service, home = freshFolder(), tty = false } = options;
  const out: string[] = [];
  const err: string[] = [];
  const spun: string[] = [];
  const waits: number[] = [];
  const clock = options.clock ?? service?.clock ?? { now: NOW };
  const transport = options.transport ?? (service ? transportOf(service.app) : undefined);
  const served = service
    ? {
        PLAYTEST_BASE_URL: BASE_URL,
        PLAYTEST_KEY: service.keys.management,
        PLAYTEST_INGEST_KEY: service.keys.ingest,
      }
    : {};
  const sink = (into: string[], fault?: Error) => ({
    isTTY: tty,
    columns: tty ? (options.columns ?? 80) : undefined,
    colors: tty ? (options.colors ?? 0) : (0 as const),
    async write(given: string | Uint8Array) {
      if (fault) throw fault;
      const text = typeof given === "string" ? given : Buffer.from(given).toString("latin1");
      into.push(text);
      if (into === out) options.onOut?.(text);
    },
  });
  const io: Io = {
    out: sink(out, options.outFault),
    err: { ...sink(err, options.errFault), ...(tty ? { stream: stillStream(spun) } : {}) },
    stdin: { isTTY: false, read: () => chunksOf(options.stdin ?? "") },
    env: { ...served, ...options.env },
    cwd: options.cwd ?? home,
    home,
    configDir: join(home, "config"),
    stateDir: join(home, "state"),
    self: [process.execPath, join(import.meta.dirname, "..", "bin", "playtest.js")],
    platform: { node: process.version, os: process.platform, arch: process.arch },
    pid: process.pid,
    isAlive: (pid) => pid === process.pid,
    now: () => clock.now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      clock.now += ms;
    },
    random: () => 0.5,
    signal: options.signal ?? new AbortController().signal,
    ...(transport ? { transport } : {}),
  };
  const code = await main(argv, io);
  return { code, out: out.join(""), err: err.join(""), waits, progress: spun.join(""), home };
}

/** A stream on which a spinner stands still: each shows the line it starts with. */
function stillStream(into: string[]): NodeJS.WriteStream {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      into.push(String(chunk));
      done();
    },
  });
  return stream as NodeJS.WriteStream;
}

async function* chunksOf(input: string | Uint8Array): AsyncGenerator<Uint8Array> {
  if (input.length > 0) yield typeof input === "string" ? Buffer.from(input) : input;
}

/** The service on this machine: opens its database and account, and issues its keys. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Heatmap } from "../../../contract/heatmaps.ts";
import { findFirstAccount, hasKeys } from "../../../server/accounts/account-queries.ts";
import { createAccount, issueKeys, type NewApiKeys } from "../../../server/accounts/accounts.ts";
import type { BackupSettings } from "../../../server/backups/schedule.ts";
import { isPostgres, openStore, type Store, toOpenError, type Upgrade } from "../../../server/db/open.ts";
import type { ConsoleSettings } from "../../../server/http/console.ts";
import { defaultRateLimits, type RateLimitSettings } from "../../../server/http/rate-limits.ts";
import type { AppService } from "../../../server/http/service.ts";
import { findUnreadableTokens } from "../../../server/notifications/webhooks.ts";
import type { PruningPolicy } from "../../../server/pruning/policy.ts";
import { type RunningService, type ServiceOptions, startService } from "../../../server/start.ts";
import type { SessionLimits } from "../../../server/telemetry/session-limits.ts";
import { version } from "../../../shared/version.prepared.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { choice, type FlagValues, list, text, time, toggle } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { redactUrl } from "../../public-url.ts";
import { runAudited } from "./audited.ts";
import { createTextReporter, type Instrumentation } from "./observe.ts";
import { readTokenKey } from "./token-key.ts";

/** The flags of every command that opens the local database. */
export const databaseFlags = {
  database: text(
    "--database <file>",
    "database file (created if missing), :memory: or postgres://… (default: in the state folder)",
  ),
  durability: choice(
    "--durability <level>",
    "full: survives power loss; normal: survives crashes (default: full)",
    ["full", "normal"],
  ),
  now: time("--now <time>", "fixed time for the service's clock"),
} as const;

/** The database flag of commands that only read, and so never create a database. */
export const existingDatabaseFlag = text(
  "--database <file>",
  "database file or postgres://… (default: in the state folder)",
);

/** The flags of every command that serves the API. */
export const serviceFlags = {
  ...databaseFlags,
  demo: toggle("--demo", "add the demo games"),
  games: list("--create-game <slug>", "create this game if it does not exist (repeatable)"),
  seed: list("--seed <file>", "import this telemetry file first (repeatable); for demo data, use --demo"),
  limits: choice("--limits <on|off>", "rate limits (default: on, but with --demo none on management keys)", [
    "on",
    "off",
  ]),
  budgets: choice("--budgets <on|off>", "budgets per day, see `admin budgets` (default: on)", ["on", "off"]),
} as const;

type DatabaseValues = FlagValues<typeof databaseFlags>;

/** A running service that does not listen for requests yet. */
export interface LocalService extends RunningService {
  readonly accountId: string;
  readonly database: string;
}

/** The database of a --database flag: :memory:, a Postgres URL or an absolute path. Throws `usage` for other URLs. */
export function databasePath(io: Pick<Io, "stateDir" | "cwd">, flag: string | undefined): string {
  if (flag === undefined) return join(io.stateDir, "playtest.db");
  if (flag === ":memory:" || isPostgres(flag)) return flag;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(flag)) {
    throw fail("usage", {
      message: `--database ${JSON.stringify(redactUrl(flag))} is not a supported database URL`,
      hint: "Use a file, :memory:, or postgres://user:password@host:5432/database.",
    });
  }
  return resolve(io.cwd, flag);
}

interface LocalOptions extends DatabaseValues {
  /** Whether the database has the demo, whose keys have no rate limit unless `limits` is set. */
  readonly demo?: boolean;
  readonly limits?: "on" | "off" | undefined;
  readonly budgets?: "on" | "off" | undefined;
  /** Requests per minute with one management key. */
  readonly keyLimit?: number | undefined;
  /** Telemetry requests per minute from one address. */
  readonly telemetryLimit?: number | undefined;
  readonly sessionLimits?: Partial<SessionLimits>;
  readonly maxDatabaseSize?: number | undefined;
  readonly hostNames?: readonly string[];
  readonly trustProxy?: boolean;
  readonly allowIngest?: boolean;
  /** How to serve the console. Without it, there is none. */
  readonly console?: ConsoleSettings | undefined;
  /** Whether a server may be running on the same database. */
  readonly sharesDatabase?: boolean;
  /** Whether the command itself says which database it uses, so that a new file needs no note. */
  readonly announcesDatabase?: boolean;
  /** Whether to throw `unusable` for an empty database instead of setting it up. */
  readonly mustExist?: boolean;
  readonly instrumentation?: Instrumentation;
  readonly pruning?: PruningPolicy;
  readonly backups?: BackupSettings | undefined;
}

export function isMissingFile(database: string): boolean {
  return database !== ":memory:" && !isPostgres(database) && !existsSync(database);
}

/**
 * Checks whether the file of a database exists. Call the returned function after opening the database: if the file did
 * not exist before, it reports the new file, because a misspelled name otherwise looks like an empty database.
 */
export function watchDatabaseCreation(context: Context, database: string): () => Promise<void> {
  if (!isMissingFile(database)) return async () => {};
  return () => context.notify(`Created the database ${database}.`);
}

/** Reports that the schema of a database is updated, and where the previous state is. */
export function reportUpgrade(context: Context): (upgrade: Upgrade) => Promise<void> {
  return ({ location, copy }) => {
    const state = copy === null ? "" : ` A copy of its previous state is in ${copy}.`;
    return context.notify(`Updating the database ${location} to playtest ${version}.${state}`);
  };
}

/** The Postgres statement timeout. Clients do not wait longer, and the locks of a slow statement block other requests. */
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * The rate limits with custom numbers of requests per minute. The limit of an address is never lower than that of a key.
 * Otherwise it would decide how much a key may send, and behind a proxy all clients may share one address.
 */
function buildLimits({ keyLimit, telemetryLimit, demo, limits }: LocalOptions): RateLimitSettings {
  const { key, ip, ingest } = defaultRateLimits;
  const keyPoints = keyLimit ?? (demo && limits === undefined ? UNLIMITED : key.points);
  return {
    ...defaultRateLimits,
    key: { ...key, points: keyPoints },
    ip: { ...ip, points: Math.max(ip.points, keyPoints) },
    ingest: { ...ingest, points: telemetryLimit ?? ingest.points },
  };
}

/** More requests per minute than one key can send. */
const UNLIMITED = 1_000_000;

/** An open database, and how workers open it too. */
interface OpenDatabase {
  readonly store: Store;
  /** Undefined if the program cannot start workers. */
  readonly workers: ServiceOptions["workers"];
  /** Removes the file of a database that is called `:memory:`; null for others. */
  readonly removeFile: (() => void) | null;
}

async function openDatabase(
  context: Context,
  database: string,
  { durability, mustExist = false, instrumentation }: LocalOptions,
): Promise<OpenDatabase> {
  const { startWorker: start } = context.io;
  const temporary = database === ":memory:" && start ? createTemporaryDatabase(context.io) : null;
  const location = { database: temporary?.file ?? database, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const store = await openStore({
    ...location,
    durability: temporary ? "OFF" : durability === "normal" ? "NORMAL" : "FULL",
    mustExist,
    onRetry: () => instrumentation?.observer?.transactionRetried(),
    onUpgrade: reportUpgrade(context),
  });
  return {
    store,
    workers: start ? { start, location } : undefined,
    removeFile: temporary ? () => temporary.remove() : null,
  };
}

async function openLocal(context: Context, options: LocalOptions): Promise<LocalService> {
  const { io } = context;
  const database = databasePath(io, options.database);
  const {
    report = createTextReporter(context),
    observer,
    metrics,
    logChange,
  } = options.instrumentation ?? {};
  // Administrative commands send nothing, so that they need no key.
  const tokenKey = options.sharesDatabase ? null : await readTokenKey(io);
  const notifyIfCreated = watchDatabaseCreation(context, database);
  const { store, workers, removeFile } = await openDatabase(context, database, options);
  if (!options.announcesDatabase) await notifyIfCreated();
  const fixedNow = options.now;
  const running = await startService({
    store,
    tokenKey,
    limits: options.limits === "off" ? "off" : buildLimits(options),
    budgets: options.budgets ?? "on",
    maxDatabaseBytes: options.maxDatabaseSize,
    ...(options.sessionLimits ? { sessionLimits: options.sessionLimits } : {}),
    ...(options.hostNames ? { hostNames: options.hostNames } : {}),
    ...(options.trustProxy ? { trustProxy: true } : {}),
    ...(options.sharesDatabase ? { sharesDatabase: true } : {}),
    backups: options.backups,
    ...(options.pruning ? { pruning: options.pruning } : {}),
    mcp: { allowIngest: options.allowIngest ?? false, drawHeatmap },
    ...(options.console ? { console: options.console } : {}),
    ...(metrics ? { metrics } : {}),
    ...(logChange ? { logChange } : {}),
    workers,
    dependencies: {
      now: fixedNow === undefined ? () => io.now() : () => fixedNow,
      report,
      ...(observer ? { observer } : {}),
    },
  });
  const { service } = running;
  const account = await findOrCreateAccount(service).catch((cause: unknown) => {
    // A damaged file often fails only when it is first read.
    throw toOpenError(store.location, cause);
  });
  if (!options.sharesDatabase) await warnOfTokens(context, store, tokenKey);
  const stop = async () => {
    await running.stop();
    removeFile?.();
  };
  return { ...running, stop, accountId: account.id, database: removeFile ? database : store.location };
}

/** Opens the service for some work, and stops it. */
export async function withLocal<T>(
  context: Context,
  options: LocalOptions,
  work: (local: LocalService) => Promise<T>,
): Promise<T> {
  const local = await openLocal(context, options);
  try {
    return await work(local);
  } finally {
    await local.stop();
  }
}

/** Warns of webhooks to which nothing is sent, because the key does not decrypt their tokens. */
async function warnOfTokens(context: Context, { readDb }: Store, tokenKey: Buffer | null): Promise<void> {
  const unreadable = await findUnreadableTokens(readDb, tokenKey);
  if (unreadable.length === 0) return;
  const why = tokenKey === null ? "is not set" : "is another key than that of their tokens";
  await context.notify(
    `Warning: nothing is sent to ${unreadable.join(", ")}, because PLAYTEST_TOKEN_KEY ${why}.`,
  );
}

/** Checks again inside a serializable transaction, so that processes starting at once create only one account. */
async function findOrCreateAccount(service: AppService): Promise<{ readonly id: string }> {
  const { store } = service;
  return (
    (await findFirstAccount(store.readDb)) ??
    (await store.serializable(
      async (db) => (await findFirstAccount(db)) ?? (await createAccount(db, service, "local")),
    ))
  );
}

/** Draws a heatmap for assistants. The renderer is large, so it is loaded only when it is needed. */
async function drawHeatmap(heatmap: Heatmap): Promise<Uint8Array> {
  const { renderHeatmapPng } = await import("../../image-files/png.ts");
  return await renderHeatmapPng(heatmap);
}

/** Creates keys for the account. Returns null if it already has keys, unless `always` is set, or if nothing can be stored. */
export async function issueKeysIfNeeded(
  { command }: Context,
  { service, accountId }: LocalService,
  always: boolean,
): Promise<NewApiKeys | null> {
  if (service.integrity.isDamaged) return null;
  return await runAudited(service, command, accountId, async (db, note) => {
    note.detail = { newKeys: true };
    return !always && (await hasKeys(db, accountId)) ? null : await issueKeys(db, service, accountId);
  });
}

const PREFIX = "playtest-memory-";

interface TemporaryDatabase {
  readonly file: string;
  remove(): void;
}

/** Creates a folder that only this user can read, and removes those that killed processes have left. */
function createTemporaryDatabase({ pid, isAlive }: Pick<Io, "pid" | "isAlive">): TemporaryDatabase {
  for (const name of readdirSync(tmpdir())) {
    const owner = Number(/^playtest-memory-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(owner) && !isAlive(owner)) removeFolder(join(tmpdir(), name));
  }
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${pid}-`));
  return { file: join(folder, "memory.db"), remove: () => removeFolder(folder) };
}

/** Those of other users cannot be removed. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}

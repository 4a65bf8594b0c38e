/** The service on this machine: its database, its account, and what is filled in before it serves. */
import { join, resolve } from "node:path";
import type { Heatmap } from "../../../contract/heatmaps.ts";
import { createAccount, issueKeys, type NewApiKeys } from "../../../server/accounts/accounts.ts";
import { hasKeys } from "../../../server/accounts/key-queries.ts";
import { findFirstAccount } from "../../../server/accounts/queries.ts";
import { isPostgres, openStore, toOpenError } from "../../../server/db/open.ts";
import type { AppService } from "../../../server/http/service.ts";
import { type RunningService, startService } from "../../../server/start.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { choice, type FlagValues, list, text, time, toggle } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { createTextReporter, type Instrumentation } from "./instrumentation.ts";

/** The flags of every command that opens the service's database. */
export const databaseFlags = {
  database: text(
    "--database <file>",
    "database file, :memory: or postgres://… (default: a file in the user's state folder)",
  ),
  durability: choice("--durability <level>", "full survives a power loss, normal a crash (default: full)", [
    "full",
    "normal",
  ]),
  now: time("--now <time>", "set the service's clock to this fixed time"),
} as const;

/** The flags of every command that serves. */
export const serviceFlags = {
  ...databaseFlags,
  demo: toggle("--demo", "add the data of a demo studio"),
  games: list("--create-game <slug>", "create this game if it does not exist (repeatable)"),
  seed: list("--seed <file>", "import this telemetry file first (repeatable)"),
  limits: choice("--limits <on|off>", "rate limits (default: on)", ["on", "off"]),
} as const;

type DatabaseValues = FlagValues<typeof databaseFlags>;

/** A service that is open but not served yet. */
export interface LocalService extends RunningService {
  readonly accountId: string;
  readonly database: string;
}

/** The database that is meant: an address, or a whole path, so that it is the same file from wherever it is named. */
export function databasePath(io: Pick<Io, "stateDir" | "cwd">, given: string | undefined): string {
  if (given === ":memory:") return given;
  if (given !== undefined && isPostgres(given)) return given;
  if (given !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(given)) {
    throw fail("usage", {
      message: `--database ${JSON.stringify(given.replace(/\/\/[^/]*@/, "//"))} is no address of a database`,
      hint: "Name a file, :memory:, or postgres://user:password@host:5432/database.",
    });
  }
  return given === undefined ? join(io.stateDir, "playtest.db") : resolve(io.cwd, given);
}

export interface LocalOptions extends DatabaseValues {
  readonly limits?: "on" | "off" | undefined;
  readonly hostNames?: readonly string[];
  readonly trustProxy?: boolean;
  readonly allowIngest?: boolean;
  readonly besideServer?: boolean;
  readonly instrumentation?: Instrumentation;
}

/** How long Postgres may take over a statement: clients do not wait for longer, and others wait for its locks. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** Opens the database and starts its service. */
export async function openLocal(context: Context, options: LocalOptions): Promise<LocalService> {
  const { io } = context;
  const database = databasePath(io, options.database);
  const durability = options.durability === "normal" ? "NORMAL" : "FULL";
  const { report = createTextReporter(context), observer, metrics } = options.instrumentation ?? {};
  const onRetry = () => observer?.transactionRetried();
  const store = await openStore({ database, durability, statementTimeoutMs: STATEMENT_TIMEOUT_MS, onRetry });
  const fixed = options.now;
  const running = await startService({
    store,
    ...(options.limits === "off" ? { limits: "off" as const } : {}),
    ...(options.hostNames ? { hostNames: options.hostNames } : {}),
    ...(options.trustProxy ? { trustProxy: true } : {}),
    ...(options.besideServer ? { sharesDatabase: true } : {}),
    mcp: { allowIngest: options.allowIngest ?? false, drawHeatmap },
    ...(metrics ? { metrics } : {}),
    dependencies: {
      now: fixed === undefined ? () => io.now() : () => fixed,
      report,
      ...(observer ? { observer } : {}),
    },
  });
  const { service } = running;
  // Of several that start at once on a new file, one makes the account.
  const account = await findOrCreateAccount(service).catch((cause: unknown) => {
    // Damage shows where it is read.
    throw toOpenError(store.location, cause);
  });
  return { ...running, accountId: account.id, database: store.location };
}

async function findOrCreateAccount(service: AppService): Promise<{ readonly id: string }> {
  const { store } = service;
  return (
    (await findFirstAccount(store.readDb)) ??
    (await store.serializable(
      async (db) => (await findFirstAccount(db)) ?? (await createAccount(db, service, "local")),
    ))
  );
}

/** For assistants; what draws is large, and is loaded when it is first asked. */
async function drawHeatmap(heatmap: Heatmap): Promise<Uint8Array> {
  const { renderHeatmapPng } = await import("../../image-files/heatmap-png.ts");
  return await renderHeatmapPng(heatmap);
}

/** New keys for the account; null where it has some and `always` does not hold, for then their owner knows them. */
export async function issueKeysIfNeeded(
  { service, accountId }: LocalService,
  always: boolean,
): Promise<NewApiKeys | null> {
  return await service.store.serializable(async (db) =>
    !always && (await hasKeys(db, accountId)) ? null : await issueKeys(db, service, accountId),
  );
}

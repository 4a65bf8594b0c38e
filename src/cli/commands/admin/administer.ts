/** Runs the work of an administrative command: opens the local database, selects the account and closes the database. */
import type { ShortIdKind } from "../../../contract/id-kinds.ts";
import { requireAccount } from "../../../server/accounts/account-queries.ts";
import { recordChange } from "../../../server/audit/audit.ts";
import type { Db, GameRow } from "../../../server/db/schema.ts";
import type { Service } from "../../../server/db/service.ts";
import { requireGame } from "../../../server/games/game-queries.ts";
import { formatName } from "../../../shared/similar-names.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type FlagValues, text } from "../../flags.ts";
import { confirmDestructive, yesFlag } from "../../prompts.ts";
import { redactUrl } from "../../public-url.ts";
import { translateError } from "../../translate-error.ts";
import { type ChangeNote, runAudited, toAction } from "../server/audited.ts";
import { chooseDatabase, requireDatabase } from "../server/choose-database.ts";
import { databaseFlags, existingDatabaseFlag, type LocalService, withLocal } from "../server/local.ts";
import { confirmId, requireWholeId, UnconfirmedId } from "./resolve-id.ts";

/** The flags of administrative commands that create the database if it does not exist. */
export const creatingAdminFlags = {
  ...databaseFlags,
  account: text("--account <id>", "account id or name (default: the first account)"),
} as const;

/** The flags of the other administrative commands. They need a game or another thing that a new database cannot have. */
export const adminFlags = { ...creatingAdminFlags, database: existingDatabaseFlag } as const;

export const destructiveAdminFlags = { ...adminFlags, yes: yesFlag } as const;

type AdminValues = FlagValues<typeof databaseFlags> & {
  readonly account?: string | undefined;
  readonly mayCreateDatabase?: boolean;
};

/** The open database and the selected account. */
export interface AdminContext {
  readonly service: Service;
  /** The transaction of the command. */
  readonly db: Db;
  readonly accountId: string;
  /** What the audit says about the command if it changes anything. By default, its target is the current game. */
  readonly note: ChangeNote;
  /** Makes a row the target in the audit, and returns it. */
  target<T extends { readonly id: string }>(row: T): T;
  /** The current game. Throws `usage` if none is set, `not_found` if it does not exist. */
  game(): Promise<GameRow>;
  /** The whole id that an argument names. Asks for confirmation if the argument is the beginning of an id; see `confirmId`. */
  wholeId(kind: ShortIdKind, text: string): Promise<string>;
}

/** A game of the account. Throws `not_found` with the name, which the API omits. */
export async function requireNamedGame(db: Db, accountId: string, idOrSlug: string): Promise<GameRow> {
  try {
    return await requireGame(db, accountId, idOrSlug);
  } catch (cause) {
    if (translateError(cause)?.code !== "not_found") throw cause;
    throw failNotFound(`game ${formatName(idOrSlug)}`, "`playtest admin games list` to list games", cause);
  }
}

/** The error for something that does not exist, with the command that lists what does. */
export const failNotFound = (what: string, command: string, cause?: unknown) =>
  fail("not_found", { message: `No ${what}`, hint: `Run ${command}.`, cause });

/** Runs the work in one transaction on the local database. Throws `config` if the database does not exist. */
export async function administer<T>(
  context: Context,
  flags: AdminValues,
  work: (admin: AdminContext) => Promise<T>,
): Promise<T> {
  return await withDatabase(context, flags, (run) => run(work));
}

/** Like `administer`, but creates the database if it does not exist. Check the arguments of the command first. */
export async function administerNew<T>(
  context: Context,
  flags: AdminValues,
  work: (admin: AdminContext) => Promise<T>,
): Promise<T> {
  return await administer(context, { ...flags, mayCreateDatabase: true }, work);
}

/**
 * Like `administer`, but asks for confirmation first. `describe` returns the question, or null if nothing would be lost. It
 * runs in a separate transaction, so that no other process waits for the answer, and throws if the work would fail. `after`
 * runs once the work is committed.
 */
export async function administerConfirmed<T>(
  context: Context,
  { yes, ...flags }: AdminValues & { readonly yes: boolean },
  describe: (admin: AdminContext) => Promise<string | null>,
  work: (admin: AdminContext) => Promise<T>,
  after: (service: Service, result: T) => Promise<T> = async (_service, result) => result,
): Promise<T> {
  return await withDatabase(context, flags, async (run, { service }) => {
    const question = await run(describe);
    if (question !== null) await confirmDestructive(context.io, question, yes);
    return await after(service, await run(work));
  });
}

/** The open database and the selected account, without a transaction. */
interface AdminSteps extends Pick<AdminContext, "service" | "accountId"> {
  run<T>(step: (admin: AdminContext) => Promise<T>): Promise<T>;
  /** Records a change that the work makes in another transaction. */
  record(db: Db, change: Pick<ChangeNote, "target" | "detail">): Promise<void>;
}

/** Like `administer`, but the work runs its own transactions: it may take long, and another run can continue it after a kill. */
export async function administerInSteps<T>(
  context: Context,
  flags: AdminValues,
  work: (steps: AdminSteps) => Promise<T>,
): Promise<T> {
  return await withDatabase(context, flags, async (run, { service }) => {
    const accountId = await run(async (admin) => admin.accountId);
    const change = { action: toAction(context.command), actor: "operator", accountId } as const;
    const record: AdminSteps["record"] = (db, note) => recordChange(db, service, { ...change, ...note });
    return await work({ service, accountId, run, record });
  });
}

/** Runs the work in one transaction, then analyzes pending sessions. Returns the result of `after`. */
export async function administerAndAnalyze<T, R>(
  context: Context,
  flags: AdminValues,
  work: (admin: AdminContext) => Promise<T>,
  after: (db: Db, result: T) => Promise<R>,
): Promise<R> {
  return await withDatabase(context, flags, async (run, { service, analysis }) => {
    const result = await run(work);
    await analysis.drain();
    return await after(service.store.readDb, result);
  });
}

/** Throws `usage` for --base-url. A command that ignored it would change another database than the one intended. */
function rejectBaseUrl({ settings }: Context): void {
  const { baseUrl } = settings.flags;
  if (baseUrl === undefined) return;
  throw fail("usage", {
    message: `--base-url ${redactUrl(baseUrl)} cannot be used with admin commands: they open the database, even if a server is running on it`,
    hint: "Use --database with the file or URL that the server was started with, or leave out both flags for the default database.",
  });
}

/** Opens the database. `use` receives a function that runs work in one transaction. */
async function withDatabase<R>(
  context: Context,
  flags: AdminValues,
  use: (run: <T>(work: (admin: AdminContext) => Promise<T>) => Promise<T>, local: LocalService) => Promise<R>,
): Promise<R> {
  rejectBaseUrl(context);
  const { account, mayCreateDatabase = false, ...database } = flags;
  // A server may be running on the database. This process must not take over its analysis jobs.
  const file = await chooseDatabase(context, database.database);
  if (!mayCreateDatabase) await requireDatabase(context.io, file);
  const options = { ...database, database: file, mustExist: !mayCreateDatabase, sharesDatabase: true };
  return await withLocal(context, options, (local) => use(createRunner(context, local, account), local));
}

/** Returns a function that runs work in one transaction, and again once the user has confirmed an id that it needs. */
function createRunner(context: Context, { service, ...local }: LocalService, account: string | undefined) {
  const confirmedIds = new Map<string, string>();
  const attempt = async <T>(work: (admin: AdminContext) => Promise<T>): Promise<T> =>
    await runAudited(service, context.command, local.accountId, async (db, note) => {
      const accountId = account === undefined ? local.accountId : (await requireAccount(db, account)).id;
      note.accountId = accountId;
      const game = async () => {
        const row = await requireNamedGame(db, accountId, await context.requireGame());
        note.target ??= row.id;
        return row;
      };
      const target: AdminContext["target"] = (row) => {
        note.target = row.id;
        return row;
      };
      const wholeId: AdminContext["wholeId"] = async (kind, text) =>
        confirmedIds.get(text) ?? (await requireWholeId(db, accountId, kind, text));
      return await work({ service, db, accountId, note, target, game, wholeId });
    });
  const run = async <T>(work: (admin: AdminContext) => Promise<T>): Promise<T> => {
    try {
      return await attempt(work);
    } catch (error) {
      if (!(error instanceof UnconfirmedId)) throw error;
      confirmedIds.set(error.text, await confirmId(context.io, error));
      return await run(work);
    }
  };
  return run;
}

/** What every administrative command does around its own work: open the local database, act in its account, close it. */
import { requireAccount } from "../../../server/accounts/queries.ts";
import type { Db, GameRow } from "../../../server/db/schema.ts";
import type { Service } from "../../../server/db/service.ts";
import { requireGame } from "../../../server/games/queries.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type FlagValues, text } from "../../flags.ts";
import { translateError } from "../../translate-error.ts";
import { databaseFlags, openLocal } from "../server/local.ts";

/** The flags of every administrative command. */
export const adminFlags = {
  ...databaseFlags,
  account: text("--account <id>", "account id or name (default: the first account)"),
} as const;

type AdminValues = FlagValues<typeof databaseFlags> & { readonly account?: string | undefined };

/** An open database, and whose it is. */
export interface AdminContext {
  readonly service: Service;
  /** For writes: every command's work is one transaction. */
  readonly db: Db;
  readonly accountId: string;
  /** The game that flag, environment, repository or profile name. Throws `usage` or `not_found`. */
  game(): Promise<GameRow>;
}

/** A game of the account. Throws `not_found` naming it: on this machine nothing is kept from its owner. */
export async function requireNamedGame(db: Db, accountId: string, idOrSlug: string): Promise<GameRow> {
  try {
    return await requireGame(db, accountId, idOrSlug);
  } catch (cause) {
    if (translateError(cause)?.code !== "not_found") throw cause;
    throw fail("not_found", {
      message: `There is no game ${JSON.stringify(idOrSlug)}`,
      hint: "`playtest admin games list` shows those there are.",
      cause,
    });
  }
}

/** Runs the work in one transaction on the local database. */
export async function administer<T>(
  context: Context,
  flags: AdminValues,
  work: (admin: AdminContext) => Promise<T>,
): Promise<T> {
  return await administerThen(context, flags, work, async (_service, done) => done);
}

/** Runs the work in one transaction; then analyses what is due, and answers what `after` reads. */
export async function administerAndAnalyse<T, R>(
  context: Context,
  flags: AdminValues,
  work: (admin: AdminContext) => Promise<T>,
  after: (db: Db, done: T) => Promise<R>,
): Promise<R> {
  return await administerThen(context, flags, work, async (service, done, settle) => {
    await settle();
    return await after(service.store.readDb, done);
  });
}

async function administerThen<T, R>(
  context: Context,
  flags: AdminValues,
  work: (admin: AdminContext) => Promise<T>,
  after: (service: Service, done: T, settle: () => Promise<void>) => Promise<R>,
): Promise<R> {
  const { account, ...database } = flags;
  // A server may be at work on the file: its sessions are not taken from it, and nothing waits for its models.
  const local = await openLocal(context, { ...database, besideServer: true });
  const { service } = local;
  try {
    const done = await service.store.serializable(async (db) => {
      const accountId = account === undefined ? local.accountId : (await requireAccount(db, account)).id;
      const game = async () => requireNamedGame(db, accountId, await context.requireGame());
      return await work({ service, db, accountId, game });
    });
    return await after(service, done, () => local.analysis.drain());
  } finally {
    await local.stop();
  }
}

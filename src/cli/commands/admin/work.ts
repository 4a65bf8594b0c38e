/** What every administrative command does around its own work: open the local database, act in its account, close it. */
import type { Db, GameRow } from "../../../server/db/schema.ts";
import { requireAccount } from "../../../server/queries/accounts.ts";
import { requireGame } from "../../../server/queries/games.ts";
import type { Service } from "../../../server/service.ts";
import type { Values } from "../../command.ts";
import type { Context } from "../../context.ts";
import { text } from "../../flags.ts";
import { databaseFlags, openLocal } from "../server/local.ts";

/** The flags of every administrative command. */
export const adminFlags = {
  ...databaseFlags,
  account: text("--account <id>", "act in this account, by id or name; default the first"),
} as const;

type AdminValues = Values<typeof databaseFlags> & { readonly account?: string | undefined };

/** An open database, and whose it is. */
export interface Admin {
  readonly service: Service;
  /** For writes: every command's work is one transaction. */
  readonly db: Db;
  readonly accountId: string;
  /** The game that flag, environment, repository or profile name. Throws `usage` or `not_found`. */
  game(): Promise<GameRow>;
}

/** Runs the work in one transaction on the local database. */
export async function administer<T>(
  context: Context,
  flags: AdminValues,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  return await administerThen(context, flags, work, async (_service, done) => done);
}

/** Runs the work in one transaction; then analyses what is due, and answers what `after` reads. */
export async function administerAndAnalyse<T, R>(
  context: Context,
  flags: AdminValues,
  work: (admin: Admin) => Promise<T>,
  after: (db: Db, done: T) => Promise<R>,
): Promise<R> {
  return await administerThen(context, flags, work, async (service, done, settle) => {
    await settle();
    return await after(service.store.read, done);
  });
}

async function administerThen<T, R>(
  context: Context,
  flags: AdminValues,
  work: (admin: Admin) => Promise<T>,
  after: (service: Service, done: T, settle: () => Promise<void>) => Promise<R>,
): Promise<R> {
  const { account, ...database } = flags;
  const local = await openLocal(context, database);
  const { service } = local;
  try {
    const done = await service.store.write.transaction().execute(async (db) => {
      const accountId = account === undefined ? local.accountId : (await requireAccount(db, account)).id;
      const game = async () => requireGame(db, accountId, await context.game());
      return await work({ service, db, accountId, game });
    });
    return await after(service, done, () => local.analysis.settle());
  } finally {
    await local.stop();
  }
}

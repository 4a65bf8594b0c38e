/** What every administrative command does around its own work: open the local database, act in its account, close it. */
import type { Db, GameRow } from "../../../server/db/schema.ts";
import { requireGame } from "../../../server/queries/games.ts";
import type { Service } from "../../../server/service.ts";
import type { Values } from "../../command.ts";
import type { Context } from "../../context.ts";
import { databaseFlags, openLocal } from "../server/local.ts";

/** The flags of every administrative command. */
export const adminFlags = databaseFlags;

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
  flags: Values<typeof adminFlags>,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const local = await openLocal(context, flags);
  const { service, accountId } = local;
  try {
    return await service.store.write.transaction().execute((db) =>
      work({
        service,
        db,
        accountId,
        game: async () => requireGame(db, accountId, await context.game()),
      }),
    );
  } finally {
    await local.stop();
  }
}

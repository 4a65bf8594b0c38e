/** Reads and writes games: always within one account. */

import { fail } from "../../contract/errors.ts";
import type { Game } from "../../contract/games.ts";
import type { Db, GameRow } from "../db/schema.ts";

/** The games of an account, newest first. */
export async function gamesOf(db: Db, accountId: string): Promise<GameRow[]> {
  return await db
    .selectFrom("games")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
}

/** An account's game by id or slug. Throws `not_found` for another's as for none. */
export async function requireGame(db: Db, accountId: string, idOrSlug: string): Promise<GameRow> {
  const game = await findGame(db, accountId, idOrSlug);
  if (!game) throw fail("not_found");
  return game;
}

/** An account's game by id or slug, or undefined. */
export async function findGame(db: Db, accountId: string, idOrSlug: string): Promise<GameRow | undefined> {
  return await db
    .selectFrom("games")
    .selectAll()
    .where("account_id", "=", accountId)
    .where((eb) => eb.or([eb("id", "=", idOrSlug), eb("slug", "=", idOrSlug)]))
    .executeTakeFirst();
}

/** A game as the API gives it. */
export function gameOf(row: GameRow): Game {
  return { id: row.id, userId: row.account_id, name: row.name, slug: row.slug, createdAt: row.created_at };
}

/** How much play a game has. */
export async function countPlay(db: Db, gameId: string) {
  const rollup = await db
    .selectFrom("session_rollups")
    .select((eb) => [
      eb.fn.sum<number>("sessions").as("sessions"),
      eb.fn.count<number>("build").distinct().as("builds"),
    ])
    .where("game_id", "=", gameId)
    .executeTakeFirstOrThrow();
  const testers = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.count<number>("device_id").distinct().as("devices"))
    .where("game_id", "=", gameId)
    .executeTakeFirstOrThrow();
  return {
    sessionCount: Number(rollup.sessions ?? 0),
    buildCount: Number(rollup.builds),
    testerCount: Number(testers.devices),
  };
}

export async function insertGame(db: Db, row: GameRow): Promise<void> {
  await db.insertInto("games").values(row).execute();
}

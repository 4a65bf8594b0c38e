/** Checks whether the names that insights are filtered by exist in a game, or in any game of an account. */
import type { Db } from "../db/schema.ts";
import type { InsightFilter } from "./list-queries.ts";

/** Where names are looked up: in one game, or in all games of the account. */
type Scope = Pick<InsightFilter, "accountId" | "gameId">;

/** Whether any session is in the environment. */
export async function environmentExists(db: Db, scope: Scope, environment: string): Promise<boolean> {
  const row = await db
    .selectFrom("session_rollups")
    .select("day")
    .where("game_id", "in", await findGameIds(db, scope))
    .where("environment", "=", environment)
    .where("sessions", ">", 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether any session has the device. */
export async function deviceExists(db: Db, scope: Scope, device: string): Promise<boolean> {
  const row = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "in", await findGameIds(db, scope))
    .where("device_id", "=", device)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether any insight has the tag. */
export async function tagExists(db: Db, scope: Scope, tag: string): Promise<boolean> {
  const row = await db
    .selectFrom("insights")
    .select("id")
    .where("game_id", "in", await findGameIds(db, scope))
    .where("tag", "=", tag)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function findGameIds(db: Db, { accountId, gameId }: Scope): Promise<string[]> {
  if (gameId !== undefined) return [gameId];
  const rows = await db.selectFrom("games").select("id").where("account_id", "=", accountId).execute();
  return rows.map(({ id }) => id);
}

/** Reads which builds and environments have sessions, from the counters. */
import type { Db } from "../db/schema.ts";

/** Whether any session in any environment has the version. */
export async function buildExists(db: Db, gameId: string, version: string): Promise<boolean> {
  const row = await db
    .selectFrom("session_counts")
    .select("build")
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .where("sessions", ">", 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The environments that have sessions of any of the games, in alphabetical order. */
export async function findEnvironments(db: Db, gameIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("session_counts")
    .select("environment")
    .distinct()
    .where("game_id", "in", [...gameIds])
    .where("sessions", ">", 0)
    .orderBy("environment")
    .execute();
  return rows.map(({ environment }) => environment);
}

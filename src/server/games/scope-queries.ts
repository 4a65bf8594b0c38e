/** Reads which builds and environments have sessions. */
import type { Db } from "../db/schema.ts";

/** Whether any of the games has sessions with these values. */
export async function hasSessionsIn(
  db: Db,
  gameIds: readonly string[],
  where: { readonly build: string } | { readonly environment: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "in", [...gameIds])
    .where((eb) => eb.and(where))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The environments that have sessions of any of the games, in alphabetical order. */
export async function findEnvironments(db: Db, gameIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select("environment")
    .distinct()
    .where("game_id", "in", [...gameIds])
    .orderBy("environment")
    .execute();
  return rows.map(({ environment }) => environment);
}

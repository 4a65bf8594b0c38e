/** Reads when the bug reports of a session arrived. */
import type { Db } from "../db/schema.ts";

/** The times at which these bug reports of a session arrived, unix ms. Ids of anything else are ignored. */
export async function findReportTimes(
  db: Db,
  gameId: string,
  sessionId: string,
  ids: readonly string[],
): Promise<number[]> {
  const rows = await db
    .selectFrom("bug_reports")
    .select("created_at")
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .where("id", "in", ids)
    .execute();
  return rows.map(({ created_at }) => created_at);
}

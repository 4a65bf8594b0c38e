/** Finds ended sessions and the last events of a session, to show where sessions ended. */
import { SOURCES } from "../../shared/session-sources.ts";
import type { Db } from "../db/schema.ts";
import type { PositionFilter } from "../positions/position-queries.ts";

/** A session that has ended, with the number of its batches. */
export interface EndedSession {
  readonly id: string;
  readonly batches: number;
}

/** The newest ended sessions that match, at most `limit`. A session is pending while more events may arrive. */
export async function findEndedSessions(
  db: Db,
  { gameId, source, build, env }: Omit<PositionFilter, "event">,
  limit: number,
): Promise<EndedSession[]> {
  const rows = await db
    .selectFrom("sessions")
    .select(["id", "next_batch"])
    .where("game_id", "=", gameId)
    .where("next_batch", ">", 0)
    .where("events_pruned_at", "is", null)
    .where((eb) => eb.or([eb("ended", "=", 1), eb("status", "!=", "pending")]))
    .$if(source !== undefined, (query) => query.where("source", "=", source ?? SOURCES.unity))
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .$if(env !== undefined, (query) => query.where("environment", "=", env ?? ""))
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ id: row.id, batches: Number(row.next_batch) }));
}

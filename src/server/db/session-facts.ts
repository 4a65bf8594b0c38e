/** Reads what stored sessions support, to fill the counters of builds or to count them again. */
import { frictionTypes } from "../../contract/insights.ts";
import { listAnswerFacts, listRoomFacts, type SessionFact } from "./build-facts.ts";
import type { Db, Schema } from "./schema.ts";

/** The columns of a session that the counters of its build are made from, and its id. */
export const countedSessionColumns = [
  ...(["game_id", "id", "build", "environment", "tester", "status"] as const),
  ...(["device_id", "country", "analysis_version", "wall_ms", "active_ms"] as const),
] as const;
export type CountedSession = Pick<Schema["sessions"], (typeof countedSessionColumns)[number]>;

const friction: ReadonlySet<string> = new Set(frictionTypes);

/** What sessions support: their rooms, friction tags and answers, by session id. */
export async function readSessionFacts(db: Db, gameId: string, ids: readonly string[]) {
  const found = new Map<string, SessionFact[]>();
  if (ids.length === 0) return found;
  const add = (id: string, facts: readonly SessionFact[]) => {
    const known = found.get(id);
    if (known) known.push(...facts);
    else found.set(id, [...facts]);
  };
  const rooms = await db
    .selectFrom("room_times")
    .select(["session_id", "room", "completed"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", ids)
    .execute();
  for (const row of rooms) add(row.session_id, listRoomFacts(row));
  const insights = await db
    .selectFrom("insights")
    .select(["session_id", "type", "tag"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", ids)
    .execute();
  // With the types in the query, SQLite would read all insights of these types.
  for (const { session_id, type, tag } of insights)
    if (friction.has(type)) add(session_id, [{ kind: "tag", name: tag }]);
  const submissions = await db
    .selectFrom("feedback_submissions")
    .select(["session_id", "responses"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", ids)
    .execute();
  for (const { session_id, responses } of submissions) add(session_id, listAnswerFacts(responses));
  return found;
}

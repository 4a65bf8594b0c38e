/** Reads the feedback that belongs to a session. */
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import { HOUR_MS } from "../../shared/time-units.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { recordSessionChange } from "./change-queries.ts";

/** Finds the feedback submissions of a session, oldest first. */
export async function findSessionFeedback(
  db: Db,
  gameId: string,
  sessionId: string,
): Promise<FeedbackSubmission[]> {
  const rows = await db
    .selectFrom("feedback_submissions")
    .selectAll()
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .orderBy("submitted_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    submissionId: row.id,
    formId: row.form_id,
    formName: row.form_name,
    submittedAt: row.submitted_at,
    ...(row.asked_at_sec === null ? {} : { askedAtSec: row.asked_at_sec }),
    ...(row.answered_at_sec === null ? {} : { answeredAtSec: row.answered_at_sec }),
    responses: JSON.parse(row.responses) as FeedbackSubmission["responses"],
  }));
}

/** Records that the feedback of a session changes, because the session is deleted. */
export async function recordFeedbackChanges(
  db: Db,
  { game_id, id }: Pick<SessionRow, "game_id" | "id">,
  now: number,
): Promise<void> {
  const rows = await db
    .selectFrom("feedback_submissions")
    .select("submitted_at")
    .where("game_id", "=", game_id)
    .where("session_id", "=", id)
    .execute();
  const hours = new Set(rows.map(({ submitted_at }) => Math.floor(submitted_at / HOUR_MS)));
  for (const hour of hours) await recordSessionChange(db, game_id, hour * HOUR_MS, now);
}

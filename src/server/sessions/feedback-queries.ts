/** Reads the feedback that belongs to a session. */
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import { prepareQuery } from "../db/prepared.ts";
import type { Db, FeedbackSubmissionRow } from "../db/schema.ts";

/** Finds the feedback submissions of a session, oldest first. */
export async function findSessionFeedback(
  db: Db,
  gameId: string,
  sessionId: string,
): Promise<FeedbackSubmission[]> {
  return (await sessionFeedbackQuery(db, { gameId, sessionId })).rows.map(toSubmission);
}

const sessionFeedbackQuery = prepareQuery(
  (db, { gameId, sessionId }: { gameId: string; sessionId: string }) =>
    db
      .selectFrom("feedback_submissions")
      .selectAll()
      .where((eb) => eb.and({ game_id: gameId, session_id: sessionId }))
      .orderBy("submitted_at")
      .orderBy("id"),
);

/** A submission as responses contain it. Times that the game did not send are left out. */
export const toSubmission = (
  row: Omit<FeedbackSubmissionRow, "game_id" | "request_id" | "content_hash" | "session_id">,
): FeedbackSubmission => ({
  submissionId: row.id,
  formId: row.form_id,
  formName: row.form_name,
  submittedAt: row.submitted_at,
  ...(row.asked_at_sec === null ? {} : { askedAtSec: row.asked_at_sec }),
  ...(row.answered_at_sec === null ? {} : { answeredAtSec: row.answered_at_sec }),
  responses: JSON.parse(row.responses) as FeedbackSubmission["responses"],
});

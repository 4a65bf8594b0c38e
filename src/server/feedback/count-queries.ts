/** Counts who answered which question, in the counters of the session's build. */
import { listAnswerFacts } from "../db/build-facts.ts";
import { addTesterFacts } from "../db/build-testers.ts";
import type { Db, FeedbackSubmissionRow, SessionRow } from "../db/schema.ts";

type CountedSession = Pick<SessionRow, "game_id" | "id" | "build" | "environment" | "tester">;

/** Counts the answers of a new submission. */
export async function countAnswers(
  db: Db,
  session: CountedSession,
  submission: FeedbackSubmissionRow,
): Promise<void> {
  await addTesterFacts(db, session, listAnswerFacts(submission.responses), 1);
}

/** Subtracts the answers of a session that is deleted. */
export async function uncountAnswers(db: Db, session: CountedSession): Promise<void> {
  const rows = await db
    .selectFrom("feedback_submissions")
    .select("responses")
    .where("game_id", "=", session.game_id)
    .where("session_id", "=", session.id)
    .execute();
  await addTesterFacts(
    db,
    session,
    rows.flatMap(({ responses }) => listAnswerFacts(responses)),
    -1,
  );
}

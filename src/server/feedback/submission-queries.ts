/** Reads the feedback that the testers of a build submitted, and the feedback of a session that is deleted. */
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import { listAnswered } from "../../shared/answered-questions.ts";
import { HOUR_MS } from "../../shared/time-units.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { recordSessionChange } from "../sessions/change-queries.ts";

/** Number of submissions read at once. */
const PAGE_SIZE = 500;

/** The answers of one tester in one submission of a form. */
interface TesterAnswers {
  readonly tester: string;
  readonly formId: string;
  readonly responses: FeedbackSubmission["responses"];
}

/** Yields the submissions of a build, oldest first. The environment `all` includes all of them. */
export async function* streamSubmissions(
  db: Db,
  {
    gameId,
    version,
    environment,
  }: { readonly gameId: string; readonly version: string; readonly environment: string },
): AsyncGenerator<TesterAnswers> {
  let after = { submitted_at: -1, id: "" };
  for (;;) {
    const rows = await db
      .selectFrom("feedback_submissions as submissions")
      .innerJoin("sessions", (join) =>
        join
          .onRef("sessions.game_id", "=", "submissions.game_id")
          .onRef("sessions.id", "=", "submissions.session_id"),
      )
      .select(["submissions.id", "submitted_at", "form_id", "responses", "tester"])
      .where("submissions.game_id", "=", gameId)
      .where("sessions.build", "=", version)
      .$if(environment !== "all", (query) => query.where("sessions.environment", "=", environment))
      .where((eb) =>
        eb(eb.refTuple("submitted_at", "submissions.id"), ">", eb.tuple(after.submitted_at, after.id)),
      )
      .orderBy("submitted_at")
      .orderBy("submissions.id")
      .limit(PAGE_SIZE)
      .execute();
    for (const { tester, form_id: formId, responses } of rows)
      yield { tester, formId, responses: parseResponses(responses) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    after = last;
  }
}

/** The questions that some sessions answered, by session id. */
export async function readAnsweredQuestions(
  db: Db,
  gameId: string,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await db
    .selectFrom("feedback_submissions")
    .select(["session_id", "responses"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .execute();
  const bySession = new Map<string, Set<string>>();
  for (const { session_id: id, responses } of rows) {
    const questions = bySession.get(id) ?? new Set();
    for (const question of listAnswered(parseResponses(responses))) questions.add(question);
    bySession.set(id, questions);
  }
  return bySession;
}

const parseResponses = (json: string) => JSON.parse(json) as FeedbackSubmission["responses"];

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

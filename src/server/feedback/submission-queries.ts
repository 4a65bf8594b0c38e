/** Reads feedback submissions: lists, distributions, and the answers of builds and sessions. */
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import { listAnswered } from "../../shared/answered-questions.ts";
import { HOUR_MS } from "../../shared/time-units.ts";
import { defineStoredList, type ListFilterValues } from "../db/list-queries.ts";
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

const selectSubmissions = (db: Db) =>
  db
    .selectFrom("feedback_submissions as submissions")
    .innerJoin("sessions", (join) =>
      join
        .onRef("sessions.game_id", "=", "submissions.game_id")
        .onRef("sessions.id", "=", "submissions.session_id"),
    )
    .leftJoin("tester_handles as linked", (join) =>
      join
        .onRef("linked.game_id", "=", "sessions.game_id")
        .onRef("linked.device_id", "=", "sessions.device_id"),
    );

/** The feedback submissions of a game. */
export const storedFeedback = defineStoredList(selectSubmissions, {
  select: [
    ...(["submissions.id", "form_id", "form_name", "submitted_at", "asked_at_sec"] as const),
    ...(["answered_at_sec", "responses", "session_id", "sessions.build", "sessions.environment"] as const),
    ...(["sessions.tester_handle", "sessions.device_id", "linked.handle"] as const),
  ],
  game: "submissions.game_id",
  filters: { form: "submissions.form_id", build: "sessions.build", env: "sessions.environment" },
  time: "submissions.submitted_at",
  id: "submissions.id",
  toItem: (row) => ({
    submissionId: row.id,
    formId: row.form_id,
    formName: row.form_name,
    submittedAt: row.submitted_at,
    ...(row.asked_at_sec === null ? {} : { askedAtSec: row.asked_at_sec }),
    ...(row.answered_at_sec === null ? {} : { answeredAtSec: row.answered_at_sec }),
    responses: parseResponses(row.responses),
    sessionId: row.session_id,
    build: row.build,
    environment: row.environment,
    tester: { handle: row.handle ?? row.tester_handle, deviceId: row.device_id },
  }),
});

/** The id of the submission that contains an answer; undefined without one. */
export async function findSubmissionOfAnswer(
  db: Db,
  gameId: string,
  id: string,
): Promise<string | undefined> {
  const rows = await db
    .selectFrom("feedback_submissions")
    .select(["id", "responses"])
    .where("game_id", "=", gameId)
    .where((eb) => eb(eb.fn<number>("instr", ["responses", eb.val(JSON.stringify(id))]), ">", 0))
    .execute();
  return rows.find(({ responses }) => parseResponses(responses).some((answer) => answer.id === id))?.id;
}

/** The answers of one submission, with what distributions are grouped by. */
export interface RatedSubmission {
  readonly formId: string;
  readonly formName: string;
  readonly build: string;
  readonly tester: string;
  readonly responses: FeedbackSubmission["responses"];
}

/** Yields submissions, newest first, at most `max`. */
export async function* streamRatedSubmissions(
  db: Db,
  gameId: string,
  filter: ListFilterValues,
  max: number,
): AsyncGenerator<RatedSubmission> {
  // Later than any submission, so that the first page begins with the newest.
  let after = { submitted_at: Number.MAX_SAFE_INTEGER, id: "" };
  for (let read = 0; read < max; read += PAGE_SIZE) {
    const rows = await storedFeedback
      .matching(db, gameId, filter)
      .select([
        ...(["submissions.id", "submitted_at", "form_id", "form_name", "responses"] as const),
        ...(["sessions.build", "sessions.tester"] as const),
      ])
      .where((eb) =>
        eb(eb.refTuple("submitted_at", "submissions.id"), "<", eb.tuple(after.submitted_at, after.id)),
      )
      .orderBy("submitted_at", "desc")
      .orderBy("submissions.id", "desc")
      .limit(Math.min(PAGE_SIZE, max - read))
      .execute();
    for (const { form_id: formId, form_name: formName, build, tester, responses } of rows)
      yield { formId, formName, build, tester, responses: parseResponses(responses) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    after = last;
  }
}

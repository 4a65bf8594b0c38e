/** Reads feedback submissions: lists, distributions, and the answers of builds and sessions. */
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import { listAnswered } from "../../shared/answered-questions.ts";
import { addToGroup } from "../../shared/group-by.ts";
import { HOUR_MS } from "../../shared/time-units.ts";
import { defineStoredList, type ListFilterValues } from "../db/list-queries.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { recordSessionChange } from "../sessions/change-queries.ts";
import { toSubmission } from "../sessions/feedback-queries.ts";

/** Number of submissions read at once. */
const PAGE_SIZE = 500;

/** The answers of one submission of a form. */
export interface SessionAnswers {
  readonly formId: string;
  readonly formName: string;
  readonly responses: FeedbackSubmission["responses"];
}

/** The answers of some sessions by session id, in the order of their arrival. */
export async function readSessionAnswers(
  db: Db,
  gameId: string,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SessionAnswers[]>> {
  const rows = await db
    .selectFrom("feedback_submissions")
    .select(["session_id", "form_id", "form_name", "responses"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .orderBy("submitted_at")
    .orderBy("id")
    .execute();
  const bySession = new Map<string, SessionAnswers[]>();
  for (const { session_id: id, form_id: formId, form_name: formName, responses } of rows)
    addToGroup(bySession, id, { formId, formName, responses: parseResponses(responses) });
  return bySession;
}

/** The questions that submissions answer, each once, as tags name them. */
export function listQuestions(answers: readonly SessionAnswers[]): string[] {
  return [...new Set(answers.flatMap(({ responses }) => listAnswered(responses)))].sort();
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
    .where((eb) => eb.and({ game_id, session_id: id }))
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
    ...toSubmission(row),
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

/** The answers of one submission, and who gave them in which build. */
export interface TesterAnswers extends SessionAnswers {
  readonly build: string;
  readonly tester: string;
}

/** Yields the newest submissions that match, newest first. */
export async function* streamSubmissions(
  db: Db,
  gameId: string,
  filter: ListFilterValues,
  max: number,
): AsyncGenerator<TesterAnswers> {
  let after = { submitted_at: Number.MAX_SAFE_INTEGER, id: "" };
  for (let left = max; left > 0; left -= PAGE_SIZE) {
    const rows = await storedFeedback
      .matching(db, gameId, filter)
      .select(["submissions.id", "submitted_at", "form_id", "form_name", "responses"])
      .select(["sessions.build", "sessions.tester"])
      .where((eb) =>
        eb(eb.refTuple("submitted_at", "submissions.id"), "<", eb.tuple(after.submitted_at, after.id)),
      )
      .orderBy("submitted_at", "desc")
      .orderBy("submissions.id", "desc")
      .limit(Math.min(PAGE_SIZE, left))
      .execute();
    for (const { form_id: formId, form_name: formName, build, tester, responses } of rows)
      yield { formId, formName, build, tester, responses: parseResponses(responses) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    after = last;
  }
}

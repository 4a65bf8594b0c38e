/** Reads feedback submissions with their sessions, for lists and distributions. */
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import { defineStoredList, type ListFilterValues } from "../db/list-queries.ts";
import type { Db } from "../db/schema.ts";

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

/** Number of submissions read at once. */
const PAGE_SIZE = 500;

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

const parseResponses = (json: string) => JSON.parse(json) as FeedbackSubmission["responses"];

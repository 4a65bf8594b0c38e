/** Reads feedback submissions with their sessions, for lists and distributions. */
import type { ExpressionBuilder } from "kysely";
import type { FeedbackItem } from "../../contract/feedback-list.ts";
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import type { Db, FeedbackSubmissionRow, Schema, SessionRow } from "../db/schema.ts";

/** Selects submissions. Absent fields match all of them. */
export interface FeedbackFilter {
  readonly gameId: string;
  /** `all` matches every environment. */
  readonly environment: string;
  readonly form?: string | undefined;
  readonly build?: string | undefined;
  /** Bounds on the time of receipt, inclusive, unix ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

type Tables = Schema & { submissions: FeedbackSubmissionRow };
type FeedbackExpressionBuilder = ExpressionBuilder<Tables, "submissions" | "sessions">;

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

function buildFilter({ gameId, environment, form, build, from, to }: FeedbackFilter) {
  return (eb: FeedbackExpressionBuilder) => {
    const conditions = [eb("submissions.game_id", "=", gameId)];
    if (environment !== "all") conditions.push(eb("sessions.environment", "=", environment));
    if (form !== undefined) conditions.push(eb("submissions.form_id", "=", form));
    if (build !== undefined) conditions.push(eb("sessions.build", "=", build));
    if (from !== undefined) conditions.push(eb("submissions.submitted_at", ">=", from));
    if (to !== undefined) conditions.push(eb("submissions.submitted_at", "<=", to));
    return eb.and(conditions);
  };
}

const columns = [
  ...(["submissions.id", "form_id", "form_name", "submitted_at", "asked_at_sec"] as const),
  ...(["answered_at_sec", "responses", "session_id"] as const),
  ...([
    "sessions.build",
    "sessions.environment",
    "sessions.tester_handle",
    "sessions.device_id",
    "linked.handle",
  ] as const),
] as const;

/** One page of submissions, newest first. */
export async function findFeedback(
  db: Db,
  filter: FeedbackFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<FeedbackItem[]> {
  const rows = await selectSubmissions(db)
    .select(columns)
    .where(buildFilter(filter))
    .orderBy("submitted_at", "desc")
    .orderBy("submissions.id")
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(toFeedbackItem);
}

export async function countFeedback(db: Db, filter: FeedbackFilter): Promise<number> {
  const { total } = await selectSubmissions(db)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where(buildFilter(filter))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The submission with an id, or with an answer that has this id. */
export async function findFeedbackById(
  db: Db,
  gameId: string,
  id: string,
): Promise<FeedbackItem | undefined> {
  const rows = await selectSubmissions(db)
    .select(columns)
    .where("submissions.game_id", "=", gameId)
    .where((eb) =>
      id.startsWith("resp_")
        ? eb(eb.fn<number>("instr", ["submissions.responses", eb.val(JSON.stringify(id))]), ">", 0)
        : eb("submissions.id", "=", id),
    )
    .execute();
  return rows
    .map(toFeedbackItem)
    .find((item) => item.submissionId === id || item.responses.some((response) => response.id === id));
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
  filter: FeedbackFilter,
  max: number,
): AsyncGenerator<RatedSubmission> {
  // Later than any submission, so that the first page begins with the newest.
  let after = { submitted_at: Number.MAX_SAFE_INTEGER, id: "" };
  for (let read = 0; read < max; read += PAGE_SIZE) {
    const rows = await selectSubmissions(db)
      .select([
        ...(["submissions.id", "submitted_at", "form_id", "form_name", "responses"] as const),
        ...(["sessions.build", "sessions.tester"] as const),
      ])
      .where(buildFilter(filter))
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

type FeedbackRow = Pick<
  FeedbackSubmissionRow,
  | "id"
  | "form_id"
  | "form_name"
  | "submitted_at"
  | "asked_at_sec"
  | "answered_at_sec"
  | "responses"
  | "session_id"
> &
  Pick<SessionRow, "build" | "environment" | "tester_handle" | "device_id"> & {
    readonly handle: string | null;
  };

function toFeedbackItem(row: FeedbackRow): FeedbackItem {
  return {
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
  };
}

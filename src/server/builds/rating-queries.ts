/** Reads the ratings that the testers of a build gave in feedback forms. */
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import type { Db } from "../db/schema.ts";
import type { BuildScope } from "./build-scope.ts";

/** Number of submissions read at once. */
const PAGE_SIZE = 500;

/** The ratings of one form field. */
export interface FieldRatings {
  readonly formId: string;
  readonly fieldId: string;
  /** The label of the field in the newest answer. */
  readonly label: string;
  /** The latest rating of each tester, from 1 to 5. */
  readonly byTester: ReadonlyMap<string, number>;
}

interface Collected extends FieldRatings {
  label: string;
  readonly byTester: Map<string, number>;
}

/** The latest rating of each tester in each rating field that any tester answered, by form and field. */
export async function readRatings(db: Db, build: BuildScope): Promise<Map<string, FieldRatings>> {
  const fields = new Map<string, Collected>();
  for await (const { tester, form_id: formId, responses } of streamSubmissions(db, build)) {
    for (const { fieldId, label, kind, value } of JSON.parse(responses) as FeedbackSubmission["responses"]) {
      const rating = Number(value);
      if (kind !== "rating-1-5" || !Number.isInteger(rating) || rating < 1 || rating > 5) continue;
      const key = JSON.stringify([formId, fieldId]);
      const field = fields.get(key) ?? { formId, fieldId, label, byTester: new Map() };
      field.label = label;
      field.byTester.set(tester, rating);
      fields.set(key, field);
    }
  }
  return fields;
}

/** Yields the submissions of a build, oldest first. */
async function* streamSubmissions(db: Db, { gameId, version, environment }: BuildScope) {
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
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    after = last;
  }
}

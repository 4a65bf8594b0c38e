/** Reads and writes feedback forms and submissions. */
import type { FeedbackForm, FormField } from "../../contract/forms.ts";
import { findRow, insertNew } from "../db/rows.ts";
import type { Db, FeedbackFormRow, FeedbackSubmissionRow } from "../db/schema.ts";
import { collectQuestions, type QuestionsByTag } from "../insights/describe-tag.ts";

/** Returns the forms of a game with their number of submissions, newest first. */
export async function findForms(db: Db, gameId: string): Promise<FeedbackForm[]> {
  const rows = await db
    .selectFrom("feedback_forms")
    .selectAll()
    .where("game_id", "=", gameId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  const counts = await db
    .selectFrom("feedback_submissions")
    .select((eb) => ["form_id", eb.fn.countAll<number>().as("submissions")])
    .where("game_id", "=", gameId)
    .groupBy("form_id")
    .execute();
  const byForm = new Map(counts.map((row) => [row.form_id, Number(row.submissions)]));
  return rows.map((row) => toFeedbackForm(row, byForm.get(row.id) ?? 0));
}

/** Converts a form to its form in the API. */
export function toFeedbackForm(row: FeedbackFormRow, responseCount: number): FeedbackForm {
  return {
    id: row.id,
    name: row.name,
    fields: parseFields(row),
    triggerHint: row.trigger_hint,
    active: row.active === 1,
    responseCount,
  };
}

export function parseFields(row: Pick<FeedbackFormRow, "fields">): FormField[] {
  return JSON.parse(row.fields) as FormField[];
}

/** Returns the fields of all forms of a game. */
async function findAllFields(db: Db, gameId: string): Promise<FormField[]> {
  const rows = await db
    .selectFrom("feedback_forms")
    .select("fields")
    .where("game_id", "=", gameId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.flatMap(parseFields);
}

export async function findForm(db: Db, gameId: string, id: string): Promise<FeedbackFormRow | undefined> {
  return await findRow(db, "feedback_forms", { game_id: gameId, id });
}

/** Stores a submission. Returns false if another server has stored one for the same request id in the meantime. */
export const insertSubmission = (db: Db, row: FeedbackSubmissionRow): Promise<boolean> =>
  insertNew(db, "feedback_submissions", row, ["game_id", "request_id"]);

/** Returns the questions of all forms, except of fields that have different labels in different forms. */
export async function findQuestions(db: Db, gameId: string): Promise<QuestionsByTag> {
  return collectQuestions(await findAllFields(db, gameId));
}

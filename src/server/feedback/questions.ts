/** The questions of a game's feedback forms, by tag. */
import type { Db } from "../db/schema.ts";
import { collectQuestions, type QuestionsByTag } from "../insights/describe-tag.ts";
import { findAllFields } from "./form-queries.ts";

/** Returns the questions of all forms, except of fields that have different labels in different forms. */
export async function findQuestions(db: Db, gameId: string): Promise<QuestionsByTag> {
  return collectQuestions(await findAllFields(db, gameId));
}

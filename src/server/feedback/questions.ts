/** The questions that a game's feedback forms ask, by tag. */
import type { Db } from "../db/schema.ts";
import { collectQuestions, type QuestionsByTag } from "../insights/describe-tag.ts";
import { findAllFields } from "./queries.ts";

/** What a game's forms ask. Where two forms ask something else by one id, the active and newer one is told. */
export async function findQuestions(db: Db, gameId: string): Promise<QuestionsByTag> {
  return collectQuestions(await findAllFields(db, gameId));
}

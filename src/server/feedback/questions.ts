/** The questions that a game's feedback forms ask, by tag. */
import type { Db } from "../db/schema.ts";
import { type Questions, questionsIn } from "../insights/tag-words.ts";
import { fieldsAsked } from "./queries.ts";

/** What a game's forms ask. Where two forms ask something else by one id, the active and newer one is told. */
export async function questionsOf(db: Db, gameId: string): Promise<Questions> {
  return questionsIn(await fieldsAsked(db, gameId));
}

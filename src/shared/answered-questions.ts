/** Which questions a submission of a form answers. */

import { formatAnswerTag } from "./slugs.ts";
import { findTagQuestion } from "./tag-subjects.ts";

/** The questions with an answer, as tags name them. */
export function listAnswered(
  responses: readonly { readonly fieldId: string; readonly value: string }[],
): string[] {
  return responses.flatMap(({ fieldId, value }) => {
    // Every tag of an answer names the question in the same way, so any kind of tag serves.
    const question = findTagQuestion(formatAnswerTag("praise", fieldId));
    return question === null || value.trim() === "" ? [] : [question];
  });
}

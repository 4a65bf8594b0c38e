/** Where: the second half of a tag, `<kind>:<where>`, as rules make it and as sentences tell it. */
import { quote } from "./wording.ts";

const ANSWER = "feedback-";
const FRAME_RATE = "frame-rate-";

/** Types whose findings may come from the answers to a form, or from a transcript. */
export const answeredTypes = ["negative-moment", "confusion", "praise"] as const;

/** Where a finding in the answers to a form's field is. */
export const answerWhere = (fieldId: string) => `${ANSWER}${fieldId}`;
/** Where a finding in a transcript is. */
export const spokenWhere = "transcript";
/** Where a low frame rate is. */
export const frameRateWhere = (room: string) => `${FRAME_RATE}${room}`;

/** ` in furnace` to go on a sentence with; empty for events that name no room, for they are the whole session's. */
export function inRoom(room: string, length?: number): string {
  return room === NO_ROOM ? "" : ` in ${quote(room, length)}`;
}

/** What kind of place a tag names, and the rest of a sentence that names it: empty, or beginning with a space. */
export interface Where {
  readonly kind: "room" | "answers" | "speech" | "frame-rate" | "crash" | "error";
  readonly words: string;
}

/** The place of a tag. `question` is what the form's field asked, where the tag is known to be of one. */
export function whereOf(tag: string, question?: string): Where {
  const cut = tag.indexOf(":");
  const [kind, where] = [tag.slice(0, cut), tag.slice(cut + 1)];
  const isWords = answeredTypes.some((type) => type === kind);
  if (isWords && where === spokenWhere) return { kind: "speech", words: " in a recording" };
  const isAnswer = isWords && where.startsWith(ANSWER);
  if (question !== undefined || isAnswer) {
    // A field that no form has any more is told by its id.
    return { kind: "answers", words: ` to “${quote(question ?? where.slice(ANSWER.length))}”` };
  }
  if (kind !== "bug-report") return { kind: "room", words: inRoom(where) };
  if (where === "crash" || where === "error") return { kind: where, words: "" };
  if (where.startsWith(FRAME_RATE)) {
    return { kind: "frame-rate", words: inRoom(where.slice(FRAME_RATE.length)) };
  }
  // A bug without a room is tagged by its message: "around" is right for both.
  return { kind: "room", words: where === NO_ROOM ? "" : ` around ${quote(where)}` };
}
/** Where events happen that name no room. */

export const NO_ROOM = "session";

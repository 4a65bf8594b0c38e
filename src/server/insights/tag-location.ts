/** Where: the second half of a tag, `<kind>:<where>`, as rules make it and as sentences tell it. */
import { quote } from "./wording.ts";

const ANSWER_PREFIX = "feedback-";
const FRAME_RATE_PREFIX = "frame-rate-";

/** Types whose findings may come from the answers to a form, or from a transcript. */
export const testerStatementTypes = ["negative-moment", "confusion", "praise"] as const;

/** Where a finding in the answers to a form's field is. */
export const answerLocation = (fieldId: string) => `${ANSWER_PREFIX}${fieldId}`;
/** Where a finding in a transcript is. */
export const transcriptLocation = "transcript";
/** Where a low frame rate is. */
export const frameRateLocation = (room: string) => `${FRAME_RATE_PREFIX}${room}`;

/** ` in furnace` to go on a sentence with; empty for events that name no room, for they are the whole session's. */
export function inRoom(room: string, length?: number): string {
  return room === NO_ROOM ? "" : ` in ${quote(room, length)}`;
}

/** What kind of place a tag names, and the rest of a sentence that names it: empty, or beginning with a space. */
export interface TagLocation {
  readonly kind: "room" | "answers" | "speech" | "frame-rate" | "crash" | "error";
  readonly words: string;
}

/** The place of a tag. `question` is what the form's field asked, where the tag is known to be of one. */
export function parseTagLocation(tag: string, question?: string): TagLocation {
  const cut = tag.indexOf(":");
  const [kind, where] = [tag.slice(0, cut), tag.slice(cut + 1)];
  const isWords = testerStatementTypes.some((type) => type === kind);
  if (isWords && where === transcriptLocation) return { kind: "speech", words: " in a recording" };
  const isAnswer = isWords && where.startsWith(ANSWER_PREFIX);
  if (question !== undefined || isAnswer) {
    // A field that no form has any more is told by its id.
    return { kind: "answers", words: ` to “${quote(question ?? where.slice(ANSWER_PREFIX.length))}”` };
  }
  if (kind !== "bug-report") return { kind: "room", words: inRoom(where) };
  if (where === "crash" || where === "error") return { kind: where, words: "" };
  if (where.startsWith(FRAME_RATE_PREFIX)) {
    return { kind: "frame-rate", words: inRoom(where.slice(FRAME_RATE_PREFIX.length)) };
  }
  // A bug without a room is tagged by its message: "around" is right for both.
  return { kind: "room", words: where === NO_ROOM ? "" : ` around ${quote(where)}` };
}
/** Where events happen that name no room. */

export const NO_ROOM = "session";

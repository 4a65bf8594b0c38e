/** The location of a tag within sentences. */
import { NO_ROOM, parseTag, type TagScope } from "../../shared/tags.ts";
import { quote } from "./wording.ts";

/** ` in furnace`, to continue a sentence with; empty for events that name no room. */
export function inRoom(room: string, length?: number): string {
  return room === NO_ROOM ? "" : ` in ${quote(room, length)}`;
}

/** The scope of a tag, and the rest of a sentence that names its location: empty, or beginning with a space. */
export interface TagLocation {
  readonly scope: TagScope;
  readonly words: string;
}

/** The location of a tag. `question` is the label of the form field, where the tag is known to be of one. */
export function describeTagLocation(tag: string, question?: string): TagLocation {
  const { scope, location, kind } = parseTag(tag) ?? { scope: "room", location: tag, kind: "" };
  if (question !== undefined || scope === "answers") {
    // A field that no form has any longer is named by its id.
    return { scope: "answers", words: ` to “${quote(question ?? location)}”` };
  }
  if (scope === "transcript") return { scope, words: " in a recording" };
  if (location === "") return { scope, words: "" };
  // A bug outside of any room is tagged with its message: "around" is right for both.
  const preposition = scope === "room" && kind === "bug-report" ? "around" : "in";
  return { scope, words: ` ${preposition} ${quote(location)}` };
}

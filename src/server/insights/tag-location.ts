/** The location of a tag within sentences. */
import { NO_ROOM, parseTag, type TagScope } from "../../shared/tags.ts";
import { quote } from "./wording.ts";

/** ` in furnace`, to append to a sentence; empty for events without a room. */
export function inRoom(room: string, length?: number): string {
  return room === NO_ROOM ? "" : ` in ${quote(room, length)}`;
}

/** The scope of a tag, and its location as text to append to a sentence: empty, or starting with a space. */
export interface TagLocation {
  readonly scope: TagScope;
  readonly words: string;
  /** The room or the id of a form field, as text; empty if there is none. */
  readonly name: string;
}

/** Describes the location of a tag. `question` is the label of its form field, if known. */
export function describeTagLocation(tag: string, question?: string): TagLocation {
  const { scope, location, kind } = parseTag(tag) ?? { scope: "room", location: tag, kind: "" };
  if (question !== undefined || scope === "answers") {
    // A field that no longer exists in any form is named by its id.
    const words = question === undefined ? ` (form field: ${quote(location)})` : ` to “${quote(question)}”`;
    return { scope: "answers", words, name: quote(location) };
  }
  if (scope === "transcript") return { scope, words: " in transcripts", name: "" };
  if (location === "") return { scope, words: "", name: "" };
  // A bug outside of any room is tagged with its message: "around" is right for both.
  const preposition = scope === "room" && kind === "bug-report" ? "around" : "in";
  return { scope, words: ` ${preposition} ${quote(location)}`, name: quote(location) };
}

/** Describes tags in words: as a title, within a sentence, and as a remedy. */
import type { FormField } from "../../contract/forms.ts";
import type { InsightType } from "../../contract/insights.ts";
import { formatAnswerTag } from "../../shared/slugs.ts";
import { formatTagTitle, NO_ROOM, parseTag, type TagScope, testerStatementTypes } from "../../shared/tags.ts";
import { quote } from "./wording.ts";

/** The labels of form fields, by the tags that insights from their answers can have. */
export type QuestionsByTag = ReadonlyMap<string, string>;

/** A tag in words. None of the texts ends with a period. */
interface TagDescription {
  /** The title for use within a sentence: `difficulty spike in furnace`. */
  readonly theme: string;
  /** The title: `Difficulty spike in furnace`. */
  readonly label: string;
  /** What to do about it: `Ease the difficulty in furnace`. */
  readonly remedy: string;
}

/** Titles that read badly within a sentence, reworded, by tag scope and insight type. */
const themesByScope = new Map<string, (location: TagLocation) => string>(
  Object.entries({
    "room bug-report": ({ words }: TagLocation) => `bugs${words}`,
    "room negative-moment": ({ name }: TagLocation) =>
      name === "" ? "stopping after a failure" : `leaving ${name} unfinished`,
  }),
);

/** Remedies by insight type. A location can be appended to each text. */
const remediesByType: Readonly<Record<InsightType, string>> = {
  "stuck-point": "Make the way forward clearer",
  confusion: "Clear up the confusion",
  "positive-moment": "Keep what works",
  "negative-moment": "Address what makes testers leave",
  "feature-request": "Consider the feature requests",
  "bug-report": "Fix the bugs",
  "difficulty-spike": "Ease the difficulty",
  "pacing-issue": "Give testers something to do",
  "ui-friction": "Simplify the UI",
  praise: "Keep what testers praise",
  "session-summary": "Review the session",
};

const remediesByKind = new Map<string, string>(Object.entries(remediesByType));

/** Remedies by tag scope and insight type, where the scope changes the meaning. */
const remediesByScope = new Map<string, string>(
  Object.entries({
    "answers negative-moment": "Look into the unhappy answers",
    "answers confusion": "Look into the confusion reported in answers",
    "answers praise": "Keep what earns happy answers",
    "transcript negative-moment": "Look into the complaints",
    "frame-rate bug-report": "Raise the frame rate",
    "crash bug-report": "Fix the crashes",
    "error bug-report": "Fix the errors",
  }),
);

/** Describes a tag in the words of its title. */
export function describeTag(tag: string, questions: QuestionsByTag): TagDescription {
  const question = questions.get(tag);
  const label = formatTagTitle(tag, question === undefined ? undefined : quote(question));
  const kind = tag.slice(0, tag.indexOf(":"));
  const location = describeTagLocation(tag, question);
  const scopedKind = `${location.scope} ${kind}`;
  const theme = themesByScope.get(scopedKind)?.(location) ?? lowerFirst(label);
  const remedy = remediesByScope.get(scopedKind) ?? remediesByKind.get(kind);
  return { theme, label, remedy: remedy === undefined ? `Look into ${theme}` : remedy + location.words };
}

/** Starts a text with a lower-case letter, unless it starts with an acronym. */
const lowerFirst = (text: string) =>
  /^\p{Lu}{2}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);

/**
 * Maps tags to the labels of the given fields. A tag whose fields have different labels is left out, because its insights
 * may come from answers to any of these questions.
 */
export function collectQuestions(fields: readonly FormField[]): QuestionsByTag {
  const questions = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const { id, label } of fields) {
    for (const type of testerStatementTypes) {
      const tag = formatAnswerTag(type, id);
      if (quote(questions.get(tag) ?? label) !== quote(label)) ambiguous.add(tag);
      questions.set(tag, label);
    }
  }
  for (const tag of ambiguous) questions.delete(tag);
  return questions;
}

/** ` in furnace`, to append to a sentence; empty for events without a room. */
export function inRoom(room: string, length?: number): string {
  return room === NO_ROOM ? "" : ` in ${quote(room, length)}`;
}

/** The scope of a tag, and its location as text to append to a sentence: empty, or starting with a space. */
interface TagLocation {
  readonly scope: TagScope;
  readonly words: string;
  /** The room or the id of a form field, as text; empty if there is none. */
  readonly name: string;
}

/** Describes the location of a tag. `question` is the label of its form field, if known. */
function describeTagLocation(tag: string, question?: string): TagLocation {
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

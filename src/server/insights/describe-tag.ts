/** Describes tags in words: as a title, within a sentence, and as a remedy. */
import type { FormField } from "../../contract/forms.ts";
import type { InsightType } from "../../contract/insights.ts";
import { formatAnswerTag } from "../../shared/slugs.ts";
import { formatTagTitle, testerStatementTypes } from "../../shared/tags.ts";
import { describeTagLocation, type TagLocation } from "./tag-location.ts";
import { quote } from "./wording.ts";

/** The labels of form fields, by the tags that insights from their answers can have. */
export type QuestionsByTag = ReadonlyMap<string, string>;

/** A tag in words. None of the texts ends with a period. */
export interface TagDescription {
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

/** Describes tags in words: as a theme, as a label for testers, and as a remedy. */
import type { FormField } from "../../contract/forms.ts";
import type { InsightType } from "../../contract/insights.ts";
import { answerLocation, formatTagTitle, testerStatementTypes } from "../../shared/tags.ts";
import { describeTagLocation } from "./tag-location.ts";
import { formatTag } from "./wording.ts";

/** The labels of form fields, by the tags that insights from their answers can have. */
export type QuestionsByTag = ReadonlyMap<string, string>;

/** A tag in words. None of the texts ends with a period. */
export interface TagDescription {
  /** What was found, for use within a sentence: `repeated failures in furnace`. */
  readonly theme: string;
  /** What a tester with this tag does: `Struggles in furnace`. */
  readonly label: string;
  /** What to do about it: `Ease the difficulty in furnace`. */
  readonly remedy: string;
}

/** Descriptions by insight type. A location can be appended to each text. */
const descriptionsByType: Readonly<Record<InsightType, TagDescription>> = {
  "stuck-point": {
    theme: "getting stuck",
    label: "Gets stuck",
    remedy: "Make the way forward clearer",
  },
  confusion: { theme: "confusion", label: "Gets confused", remedy: "Clear up the confusion" },
  "positive-moment": { theme: "quick success", label: "Succeeds quickly", remedy: "Keep what works" },
  "negative-moment": {
    theme: "giving up or leaving",
    label: "Gives up or leaves",
    remedy: "Address what makes testers leave",
  },
  "feature-request": {
    theme: "feature requests",
    label: "Requests features",
    remedy: "Consider the feature requests",
  },
  "bug-report": { theme: "bugs", label: "Runs into bugs", remedy: "Fix the bugs" },
  "difficulty-spike": {
    theme: "repeated failures",
    label: "Struggles",
    remedy: "Ease the difficulty",
  },
  "pacing-issue": {
    theme: "long idle times",
    label: "Goes idle",
    remedy: "Give testers something to do",
  },
  "ui-friction": {
    theme: "trouble with the UI",
    label: "Has trouble with the UI",
    remedy: "Simplify the UI",
  },
  praise: { theme: "praise", label: "Gives praise", remedy: "Keep what testers praise" },
  "session-summary": { theme: "the session", label: "Plays", remedy: "Review the session" },
};

const descriptionsByKind = new Map<string, TagDescription>(Object.entries(descriptionsByType));

/** Descriptions by tag scope and insight type, where the scope changes the meaning. */
const descriptionsByScope = new Map<string, TagDescription>(
  Object.entries({
    "answers negative-moment": {
      theme: "unhappy answers",
      label: "Gives unhappy answers",
      remedy: "Look into the unhappy answers",
    },
    "answers confusion": {
      theme: "confused answers",
      label: "Gives confused answers",
      remedy: "Look into the confused answers",
    },
    "answers praise": {
      theme: "happy answers",
      label: "Gives happy answers",
      remedy: "Keep what earns happy answers",
    },
    "transcript negative-moment": {
      theme: "complaints",
      label: "Complains",
      remedy: "Look into the complaints",
    },
    "frame-rate bug-report": {
      theme: "a low frame rate",
      label: "Has a low frame rate",
      remedy: "Raise the frame rate",
    },
    "crash bug-report": { theme: "crashes", label: "Runs into crashes", remedy: "Fix the crashes" },
    "error bug-report": { theme: "errors", label: "Runs into errors", remedy: "Fix the errors" },
  }),
);

/** Describes a tag. A tag of an unknown kind is described by its title. */
export function describeTag(tag: string, questions: QuestionsByTag): TagDescription {
  const kind = tag.slice(0, tag.indexOf(":"));
  const location = describeTagLocation(tag, questions.get(tag));
  const base = descriptionsByScope.get(`${location.scope} ${kind}`) ?? descriptionsByKind.get(kind);
  if (!base) {
    const title = formatTagTitle(tag);
    return { theme: title, label: `Encounters ${title}`, remedy: `Look into ${title}` };
  }
  return {
    theme: base.theme + location.words,
    label: base.label + location.words,
    remedy: base.remedy + location.words,
  };
}

/** Maps tags to the labels of the given fields. If two fields have the same id, the first one wins. */
export function collectQuestions(fields: readonly FormField[]): QuestionsByTag {
  const pairs = fields.flatMap(({ id, label }) =>
    testerStatementTypes.map((type): [string, string] => [formatTag(type, answerLocation(id)), label]),
  );
  return new Map(pairs.reverse());
}

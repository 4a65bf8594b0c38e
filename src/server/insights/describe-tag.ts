/** Tags in words: as a theme, as a label of those who met it, and as what to do about it. */
import type { FormField } from "../../contract/forms.ts";
import type { InsightType } from "../../contract/insights.ts";
import { answerLocation, testerStatementTypes } from "../../shared/tags.ts";
import { describeTagLocation } from "./tag-location.ts";
import { formatTag } from "./wording.ts";

/** What forms ask, by the tags that answers to it may be given. */
export type QuestionsByTag = ReadonlyMap<string, string>;

/** A tag in words; none ends in a full stop. */
export interface TagDescription {
  /** What was found, within a sentence: `repeated failures in furnace`. */
  readonly theme: string;
  /** Those who met it: `Struggles in furnace`. */
  readonly label: string;
  /** What to do about it: `Ease the difficulty in furnace`. */
  readonly remedy: string;
}

/** The beginnings of sentences that a place ends. */
const descriptionsByType: Readonly<Record<InsightType, TagDescription>> = {
  "stuck-point": {
    theme: "getting stuck",
    label: "Gets stuck",
    remedy: "Make the way forward clearer",
  },
  confusion: { theme: "confusion", label: "Is puzzled", remedy: "Clear up the confusion" },
  "positive-moment": { theme: "quick success", label: "Succeeds quickly", remedy: "Keep what works" },
  "negative-moment": {
    theme: "giving up or leaving",
    label: "Gives up or leaves",
    remedy: "Soften what makes testers leave",
  },
  "feature-request": { theme: "wishes", label: "Has wishes", remedy: "Consider what testers wish for" },
  "bug-report": { theme: "bugs", label: "Runs into bugs", remedy: "Fix the bugs" },
  "difficulty-spike": {
    theme: "repeated failures",
    label: "Struggles",
    remedy: "Ease the difficulty",
  },
  "pacing-issue": {
    theme: "long idle times",
    label: "Sits idle",
    remedy: "Give testers something to do",
  },
  "ui-friction": {
    theme: "trouble with the interface",
    label: "Fights the interface",
    remedy: "Simplify the interface",
  },
  praise: { theme: "praise", label: "Is pleased", remedy: "Keep what is praised" },
  "session-summary": { theme: "the session", label: "Plays", remedy: "Look at the session" },
};

const descriptionsByKind = new Map<string, TagDescription>(Object.entries(descriptionsByType));

/** Where a place changes what is meant, by both: what people say, and what bugs there are without a room. */
const descriptionsByLocation = new Map<string, TagDescription>(
  Object.entries({
    "answers negative-moment": {
      theme: "unhappy answers",
      label: "Gives unhappy answers",
      remedy: "Look into the unhappy answers",
    },
    "answers confusion": {
      theme: "puzzled answers",
      label: "Gives puzzled answers",
      remedy: "Clear up the puzzled answers",
    },
    "answers praise": {
      theme: "happy answers",
      label: "Gives happy answers",
      remedy: "Keep what earns the happy answers",
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

/** The words of a tag; one of a kind that is not known stands for itself. */
export function describeTag(tag: string, questions: QuestionsByTag): TagDescription {
  const kind = tag.slice(0, tag.indexOf(":"));
  const location = describeTagLocation(tag, questions.get(tag));
  const begun = descriptionsByLocation.get(`${location.scope} ${kind}`) ?? descriptionsByKind.get(kind);
  if (!begun) return { theme: tag, label: `Meets ${tag}`, remedy: `Look into ${tag}` };
  return {
    theme: begun.theme + location.words,
    label: begun.label + location.words,
    remedy: begun.remedy + location.words,
  };
}

/** What fields ask; of two of one id the first. */
export function collectQuestions(fields: readonly FormField[]): QuestionsByTag {
  const pairs = fields.flatMap(({ id, label }) =>
    testerStatementTypes.map((type): [string, string] => [formatTag(type, answerLocation(id)), label]),
  );
  return new Map(pairs.reverse());
}

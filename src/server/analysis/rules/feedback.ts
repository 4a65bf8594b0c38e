/** Feedback: low and high ratings, and what people wrote in forms. */
import type { Sentiment } from "../../../contract/insights.ts";
import { answerLocation } from "../../../shared/tags.ts";
import { formatTag, quote } from "../../insights/wording.ts";
import type { FeedbackAnswer, RecordedSession } from "../recorded-session.ts";
import { classifySentiment, isConfused } from "../sentiment.ts";
import { type DraftFinding, roundConfidence } from "./rule.ts";

/** Of 1 to 5: two or less is a complaint, four or more is praise, three is neither. */
export const LOW_RATING = 2;
export const HIGH_RATING = 4;
/** A rating is what the tester meant to say; the ends of the scale more so. */
const END_CONFIDENCE = 0.9;
const NEAR_END_CONFIDENCE = 0.7;
/** A lexicon misreads irony, and phrases of being lost misread stories. */
const TEXT_CONFIDENCE = 0.6;

const textFieldKinds = new Set(["short-text", "long-text"]);

type FeedbackFinding = Pick<DraftFinding, "type" | "sentiment" | "confidence" | "title" | "evidence">;

/** At most one finding of a kind a field, by its surest answer. */
export function findInFeedback(play: RecordedSession): readonly DraftFinding[] {
  return (play.feedback ?? []).flatMap((answer) => {
    const told = findInAnswer(answer);
    // Forms come beside the events: what they tell goes after all of them.
    const at = play.events.length;
    return told === null ? [] : [{ ...told, tag: formatTag(told.type, answerLocation(answer.fieldId)), at }];
  });
}

function findInAnswer(answer: FeedbackAnswer): FeedbackFinding | null {
  if (answer.kind === "rating-1-5") return findInRating(answer);
  return textFieldKinds.has(answer.kind) ? findInText(answer) : null;
}

function findInRating({ id, label, value }: FeedbackAnswer): FeedbackFinding | null {
  const rating = /^[1-5]$/.test(value) ? Number(value) : 3;
  if (rating > LOW_RATING && rating < HIGH_RATING) return null;
  const high = rating >= HIGH_RATING;
  const asked = quote(label);
  const threshold = high ? `${HIGH_RATING} or more` : `${LOW_RATING} or less`;
  return {
    type: high ? "praise" : "negative-moment",
    sentiment: high ? "positive" : "negative",
    confidence: roundConfidence(rating === 1 || rating === 5 ? END_CONFIDENCE : NEAR_END_CONFIDENCE),
    title: `Rated ${rating} of 5 for “${asked}”`,
    evidence: `${rating} of 5 for “${asked}” (threshold ${threshold}): response ${id}`,
  };
}

function findInText({ id, label, value }: FeedbackAnswer): FeedbackFinding | null {
  const mood = classifySentiment(value);
  const puzzled = isConfused(value);
  const type = classifyText(mood, puzzled);
  if (type === null) return null;
  const said = quote(value);
  const why = type === "confusion" ? "a phrase of being at a loss" : `${mood} by the lexicon`;
  return {
    type,
    sentiment: type === "praise" ? "positive" : "negative",
    confidence: roundConfidence(TEXT_CONFIDENCE),
    title: `“${said}”`,
    evidence: `“${said}” to “${quote(label)}” (${why}): response ${id}`,
  };
}

/** Being at a loss is told as that, unless the whole is glad of it. */
export function classifyText(
  mood: Sentiment,
  puzzled: boolean,
): "confusion" | "negative-moment" | "praise" | null {
  if (mood === "positive") return "praise";
  if (puzzled) return "confusion";
  return mood === "negative" ? "negative-moment" : null;
}

/** Feedback: low and high ratings, and what people wrote in forms. */
import type { Sentiment } from "../../../contract/insights.ts";
import { answerWhere } from "../../insights/where.ts";
import { quote, tagOf } from "../../insights/wording.ts";
import type { FeedbackAnswer, SessionPlay } from "../play.ts";
import { isPuzzled, moodOf } from "../sentiment.ts";
import { confidenceOf, type Draft } from "./rule.ts";

/** Of 1 to 5: two or less is a complaint, four or more is praise, three is neither. */
export const LOW_RATING = 2;
export const HIGH_RATING = 4;
/** A rating is what the tester meant to say; the ends of the scale more so. */
const END_CONFIDENCE = 0.9;
const NEAR_END_CONFIDENCE = 0.7;
/** A lexicon misreads irony, and phrases of being lost misread stories. */
const TEXT_CONFIDENCE = 0.6;

const written = new Set(["short-text", "long-text"]);

type Told = Pick<Draft, "type" | "sentiment" | "confidence" | "title" | "evidence">;

/** At most one finding of a kind a field, by its surest answer. */
export function findInFeedback(play: SessionPlay): readonly Draft[] {
  return (play.feedback ?? []).flatMap((answer) => {
    const told = toldBy(answer);
    // Forms come beside the events: what they tell goes after all of them.
    const at = play.events.length;
    return told === null ? [] : [{ ...told, tag: tagOf(told.type, answerWhere(answer.fieldId)), at }];
  });
}

function toldBy(answer: FeedbackAnswer): Told | null {
  if (answer.kind === "rating-1-5") return ratingOf(answer);
  return written.has(answer.kind) ? textOf(answer) : null;
}

function ratingOf({ id, label, value }: FeedbackAnswer): Told | null {
  const rating = /^[1-5]$/.test(value) ? Number(value) : 3;
  if (rating > LOW_RATING && rating < HIGH_RATING) return null;
  const high = rating >= HIGH_RATING;
  const asked = quote(label);
  const threshold = high ? `${HIGH_RATING} or more` : `${LOW_RATING} or less`;
  return {
    type: high ? "praise" : "negative-moment",
    sentiment: high ? "positive" : "negative",
    confidence: confidenceOf(rating === 1 || rating === 5 ? END_CONFIDENCE : NEAR_END_CONFIDENCE),
    title: `Rated ${rating} of 5 for “${asked}”`,
    evidence: `${rating} of 5 for “${asked}” (threshold ${threshold}): response ${id}`,
  };
}

function textOf({ id, label, value }: FeedbackAnswer): Told | null {
  const mood = moodOf(value);
  const puzzled = isPuzzled(value);
  const type = typeOf(mood, puzzled);
  if (type === null) return null;
  const said = quote(value);
  const why = type === "confusion" ? "a phrase of being at a loss" : `${mood} by the lexicon`;
  return {
    type,
    sentiment: type === "praise" ? "positive" : "negative",
    confidence: confidenceOf(TEXT_CONFIDENCE),
    title: `“${said}”`,
    evidence: `“${said}” to “${quote(label)}” (${why}): response ${id}`,
  };
}

/** Being at a loss is told as that, unless the whole is glad of it. */
export function typeOf(mood: Sentiment, puzzled: boolean): "confusion" | "negative-moment" | "praise" | null {
  if (mood === "positive") return "praise";
  if (puzzled) return "confusion";
  return mood === "negative" ? "negative-moment" : null;
}

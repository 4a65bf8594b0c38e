/** Feedback: low and high ratings, and texts with a clear sentiment. */
import type { Sentiment } from "../../../contract/insights.ts";
import { formatAnswerTag } from "../../../shared/slugs.ts";
import { quote } from "../../insights/wording.ts";
import type { FeedbackAnswer, RecordedSession } from "../recorded-session.ts";
import { classifySentiment, isConfused } from "../sentiment.ts";
import { type DraftFinding, roundConfidence } from "./rule.ts";

/** Ratings go from 1 to 5: 2 or less is negative, 4 or more is praise, 3 is neither. */
const LOW_RATING = 2;
const HIGH_RATING = 4;
/** A rating is explicit, so it is strong evidence, and highest at the ends of the scale. */
const END_CONFIDENCE = 0.9;
const NEAR_END_CONFIDENCE = 0.7;
/** Lower than for ratings: the lexicon does not detect irony, and the confusion phrases also match retold stories. */
const TEXT_CONFIDENCE = 0.6;

const textFieldKinds = new Set(["short-text", "long-text"]);

type FeedbackFinding = Omit<DraftFinding, "tag" | "at">;

/** Findings for each answer. The analyst keeps the strongest one for each field and insight type. */
export function findInFeedback(session: RecordedSession): readonly DraftFinding[] {
  return (session.feedback ?? []).flatMap((answer) => {
    const finding = findInAnswer(answer);
    if (finding === null) return [];
    // Answers have no position among the events, so they come after all of them.
    const at = session.events.length;
    return [{ ...finding, tag: formatAnswerTag(finding.type, answer.fieldId), at }];
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
  const question = quote(label);
  const threshold = high ? `${HIGH_RATING} or more` : `${LOW_RATING} or less`;
  return {
    type: high ? "praise" : "negative-moment",
    sentiment: high ? "positive" : "negative",
    confidence: roundConfidence(rating === 1 || rating === 5 ? END_CONFIDENCE : NEAR_END_CONFIDENCE),
    title: `Rated ${rating} of 5 for “${question}”`,
    evidence: `${rating} of 5 for “${question}” (threshold: ${threshold}): response ${id}`,
    claims: [{ kind: "rating", response: id, value: rating }],
  };
}

function findInText({ id, label, value }: FeedbackAnswer): FeedbackFinding | null {
  const sentiment = classifySentiment(value);
  const confused = isConfused(value);
  const type = classifyText(sentiment, confused);
  if (type === null) return null;
  const text = quote(value);
  const reason =
    type === "confusion"
      ? "contains a phrase that suggests confusion"
      : `${sentiment} by the sentiment lexicon`;
  return {
    type,
    sentiment: type === "praise" ? "positive" : "negative",
    confidence: roundConfidence(TEXT_CONFIDENCE),
    title: `“${text}”`,
    evidence: `“${text}” in answer to “${quote(label)}” (${reason}): response ${id}`,
    claims: [{ kind: "quote", source: id, text }],
  };
}

/** The insight type of a text. Confusion takes precedence over a negative sentiment, but not over a positive one. */
export function classifyText(
  sentiment: Sentiment,
  confused: boolean,
): "confusion" | "negative-moment" | "praise" | null {
  if (sentiment === "positive") return "praise";
  if (confused) return "confusion";
  return sentiment === "negative" ? "negative-moment" : null;
}

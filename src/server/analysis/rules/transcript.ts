/** Transcripts: sentences with a clear sentiment or a phrase that suggests confusion. */

import { addToGroup } from "../../../shared/group-by.ts";
import { transcriptLocation } from "../../../shared/tags.ts";
import { formatCount } from "../../../shared/words.ts";
import { formatTag, quote } from "../../insights/wording.ts";
import type { RecordedSession } from "../recorded-session.ts";
import { classifySentiment, isConfused, looksEnglish, scoreValence } from "../sentiment.ts";
import { classifyText } from "./feedback.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";
import { BALANCE_FACTOR, MIN_OUTCOMES } from "./session-summary.ts";

/** Maximum characters read from a transcript, about three hours of speech. */
export const MAX_TRANSCRIPT_LENGTH = 200_000;
/** Maximum sentences that the evidence quotes, the strongest first. */
export const MAX_QUOTED_SENTENCES = 3;
/** One sentence is weak evidence, because people think aloud. Several are stronger, but a lexicon is never certain. */
const MIN_CONFIDENCE = 0.5;
const MAX_CONFIDENCE = 0.8;

/** A timestamp at the start of a line, as in transcripts and subtitles: `[00:12:03]`, `00:12.500 --> 00:14.000`. */
const LEADING_TIMESTAMP = /^[[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s*-->\s*[\d:.,]+)?[\])]?\s*/;

/**
 * The end of a sentence: punctuation followed by white space, or the end of a line, because many transcripts have no
 * punctuation. Unlike in UAX #29, the next sentence may start in lower case, as in the output of speech recognition.
 */
const SENTENCE_END = /(?<=[.!?\u2026]["\u201d')\]]?)\s+|[\r\n]+/;

/** The first `max` sentences of a transcript, without timestamps and blank lines. */
export function splitSentences(transcript: string, max: number = Number.POSITIVE_INFINITY): string[] {
  const sentences: string[] = [];
  for (const segment of transcript.slice(0, MAX_TRANSCRIPT_LENGTH).toWellFormed().split(SENTENCE_END)) {
    if (sentences.length >= max) break;
    const sentence = segment.trim().replace(LEADING_TIMESTAMP, "");
    if (/[\p{L}\p{N}]/u.test(sentence)) sentences.push(sentence);
  }
  return sentences;
}

/** A sentence with a clear sentiment or a phrase that suggests confusion. */
interface NotableSentence {
  readonly text: string;
  /** Its number in the transcript, from 1. */
  readonly number: number;
  /** The absolute valence of its words. */
  readonly strength: number;
}

type TranscriptFindingType = NonNullable<ReturnType<typeof classifyText>>;

/**
 * At most one finding per insight type, and the session summary if there are no events. Sentences are classified like
 * the texts in forms. A transcript that is not in English gives no findings, even if single sentences could be English.
 */
export function findInTranscript({ transcript, events }: RecordedSession): readonly DraftFinding[] {
  const sentences = splitSentences(transcript ?? "");
  if (sentences.length === 0) return [];
  const english = looksEnglish(sentences.join(" "));
  const notable = findNotableSentences(english ? sentences : []);
  const drafts = [...notable].map(([type, ofType]) => toDraft(type, ofType, events.length));
  return events.length > 0 ? drafts : [...drafts, summarizeTranscript(sentences.length, english, notable)];
}

function findNotableSentences(
  sentences: readonly string[],
): ReadonlyMap<TranscriptFindingType, readonly NotableSentence[]> {
  const notable = new Map<TranscriptFindingType, NotableSentence[]>();
  for (const [index, text] of sentences.entries()) {
    const type = classifyText(classifySentiment(text), isConfused(text));
    if (type === null) continue;
    addToGroup(notable, type, { text, number: index + 1, strength: Math.abs(scoreValence(text)) });
  }
  return notable;
}

const SENTIMENT_THRESHOLD = `a positive rating needs at least ${MIN_OUTCOMES} happy sentences, and at least ${BALANCE_FACTOR} times as many happy as unhappy ones; a negative rating needs at least ${MIN_OUTCOMES} unhappy sentences, and at least ${BALANCE_FACTOR} times as many unhappy as happy ones`;

/** The summary of a session that has a transcript but no events, with the prevailing sentiment. */
function summarizeTranscript(
  sentences: number,
  english: boolean,
  notable: ReadonlyMap<TranscriptFindingType, readonly NotableSentence[]>,
): DraftFinding {
  const [happy = 0, unhappy = 0, confused = 0] = (["praise", "negative-moment", "confusion"] as const).map(
    (type) => notable.get(type)?.length ?? 0,
  );
  const isDominant = (count: number, opposite: number) =>
    count >= MIN_OUTCOMES && count >= opposite * BALANCE_FACTOR;
  const sentiment = isDominant(unhappy, happy)
    ? "negative"
    : isDominant(happy, unhappy)
      ? "positive"
      : "neutral";
  const result = english
    ? `${happy} happy, ${unhappy} unhappy, ${confused} confused`
    : "not in English, so not analyzed";
  const title = `Transcript of ${formatCount(sentences, "sentence")}: ${result}`;
  return {
    type: "session-summary",
    sentiment,
    confidence: 1,
    tag: formatTag("session-summary", "session"),
    title,
    evidence: english
      ? `Rated ${sentiment}: ${SENTIMENT_THRESHOLD}`
      : "The sentiment lexicon contains only English words",
    // After the findings of the transcript, which are at 0.
    at: 1,
    claims: [{ kind: "transcript", sentences, happy, unhappy, confused }],
  };
}

function toDraft(
  type: TranscriptFindingType,
  sentences: readonly NotableSentence[],
  at: number,
): DraftFinding {
  const strongest = sentences
    .toSorted((a, b) => b.strength - a.strength || a.number - b.number)
    .slice(0, MAX_QUOTED_SENTENCES);
  const quoted = strongest.map(({ text, number }) => `“${quote(text)}” (sentence ${number})`).join(", ");
  const more = sentences.length - strongest.length;
  const sentiment = type === "praise" ? "positive" : "negative";
  const reason =
    type === "confusion"
      ? "with a phrase that suggests confusion"
      : `rated ${sentiment} by the sentiment lexicon`;
  return {
    type,
    sentiment,
    confidence: growingConfidence(sentences.length, 1, MIN_CONFIDENCE, MAX_CONFIDENCE),
    tag: formatTag(type, transcriptLocation),
    title: `Quoted: “${quote(strongest[0]?.text ?? "")}”`,
    evidence: `${formatCount(sentences.length, "sentence")} of the transcript ${reason} (threshold: 1 sentence): ${quoted}${more > 0 ? ` and ${more} more` : ""}`,
    at,
    claims: strongest.map(({ text, number }) => ({
      kind: "quote",
      source: `sentence ${number}`,
      text: quote(text),
    })),
  };
}

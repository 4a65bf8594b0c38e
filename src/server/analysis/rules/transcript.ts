/** Transcripts: what was said in a recording with the clearest mood, and where somebody was at a loss. */

import { transcriptLocation } from "../../../shared/tags.ts";
import { formatCount, formatTag, quote } from "../../insights/wording.ts";
import type { RecordedSession } from "../recorded-session.ts";
import { classifySentiment, isConfused, looksEnglish, scoreValence } from "../sentiment.ts";
import { classifyText } from "./feedback.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";
import { BALANCE_FACTOR, MIN_OUTCOMES } from "./session-summary.ts";

/** Characters that are read of a transcript: three hours of speech. */
export const MAX_TRANSCRIPT_LENGTH = 200_000;
/** Sentences that a finding quotes, the strongest: more only repeat what their count says. */
export const MAX_QUOTED_SENTENCES = 3;
/** People think aloud: one sentence of a mood is a hint, several make it likely, and a lexicon is never sure. */
const MIN_CONFIDENCE = 0.5;
const MAX_CONFIDENCE = 0.8;

/** When somebody spoke, as transcripts and subtitles mark it in front of a line: `[00:12:03]`, `00:12.500 --> 00:14.000`. */
const TIME_MARK = /^[[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s*-->\s*[\d:.,]+)?[\])]?\s*/;

/**
 * Where a sentence ends: at a mark and a blank, and at the end of a line, for many transcripts have no other mark. Unlike
 * by UAX #29 a small letter may follow, as it does where speech was recognised by a machine.
 */
const SENTENCE_END = /(?<=[.!?\u2026]["\u201d')\]]?)\s+|[\r\n]+/;

/** The first `most` sentences of a transcript in order, without marks of time; blank ones are none. */
export function splitSentences(transcript: string, most: number = Number.POSITIVE_INFINITY): string[] {
  const sentences: string[] = [];
  for (const segment of transcript.slice(0, MAX_TRANSCRIPT_LENGTH).toWellFormed().split(SENTENCE_END)) {
    if (sentences.length >= most) break;
    const sentence = segment.trim().replace(TIME_MARK, "");
    if (/[\p{L}\p{N}]/u.test(sentence)) sentences.push(sentence);
  }
  return sentences;
}

/** A sentence that tells something. */
interface NotableSentence {
  readonly said: string;
  /** Its place in the transcript, from 1. */
  readonly nth: number;
  readonly strength: number;
}

type TranscriptFindingType = NonNullable<ReturnType<typeof classifyText>>;

/**
 * At most one finding of each kind, by its strongest sentences; without events also the session's summary. The moods are
 * those of texts in forms, by the same thresholds. A transcript in another language than English says nothing, even
 * where a sentence of it could be both.
 */
export function findInTranscript({ transcript, events }: RecordedSession): readonly DraftFinding[] {
  const sentences = splitSentences(transcript ?? "");
  if (sentences.length === 0) return [];
  const english = looksEnglish(sentences.join(" "));
  const told = findNotableSentences(english ? sentences : []);
  const drafts = [...told].map(([kind, ofKind]) => toDraft(kind, ofKind, events.length));
  return events.length > 0 ? drafts : [...drafts, summarizeTranscript(sentences.length, english, told)];
}

function findNotableSentences(
  sentences: readonly string[],
): ReadonlyMap<TranscriptFindingType, readonly NotableSentence[]> {
  const told = new Map<TranscriptFindingType, NotableSentence[]>();
  for (const [at, said] of sentences.entries()) {
    const kind = classifyText(classifySentiment(said), isConfused(said));
    if (kind === null) continue;
    const one = { said, nth: at + 1, strength: Math.abs(scoreValence(said)) };
    const known = told.get(kind);
    if (known) known.push(one);
    else told.set(kind, [one]);
  }
  return told;
}

/** The summary of a session that is a transcript alone, coloured by what outweighs the rest. */
function summarizeTranscript(
  sentences: number,
  english: boolean,
  told: ReadonlyMap<TranscriptFindingType, readonly NotableSentence[]>,
): DraftFinding {
  const [happy = 0, unhappy = 0, puzzled = 0] = (["praise", "negative-moment", "confusion"] as const).map(
    (kind) => told.get(kind)?.length ?? 0,
  );
  const outweighs = (one: number, other: number) => one >= MIN_OUTCOMES && one >= other * BALANCE_FACTOR;
  const mood = outweighs(unhappy, happy) ? "negative" : outweighs(happy, unhappy) ? "positive" : "neutral";
  const found = english
    ? `${happy} happy, ${unhappy} unhappy, ${puzzled} puzzled`
    : "not in English, so not read";
  const title = `Transcript of ${formatCount(sentences, "sentence")}: ${found}`;
  return {
    type: "session-summary",
    sentiment: mood,
    confidence: 1,
    tag: formatTag("session-summary", "session"),
    title,
    evidence: `${title} (threshold of a mood ${MIN_OUTCOMES} sentences and ${BALANCE_FACTOR} times the others)`,
    // Behind what was said, which is at 0.
    at: 1,
  };
}

function toDraft(type: TranscriptFindingType, told: readonly NotableSentence[], at: number): DraftFinding {
  const strongest = told
    .toSorted((a, b) => b.strength - a.strength || a.nth - b.nth)
    .slice(0, MAX_QUOTED_SENTENCES);
  const quoted = strongest.map(({ said, nth }) => `“${quote(said)}” (sentence ${nth})`).join(", ");
  const more = told.length - strongest.length;
  const mood = type === "praise" ? "positive" : "negative";
  const why = type === "confusion" ? "with a phrase of being at a loss" : `${mood} by the lexicon`;
  return {
    type,
    sentiment: mood,
    confidence: growingConfidence(told.length, 1, MIN_CONFIDENCE, MAX_CONFIDENCE),
    tag: formatTag(type, transcriptLocation),
    title: `Said “${quote(strongest[0]?.said ?? "")}”`,
    evidence: `${formatCount(told.length, "sentence")} of the transcript ${why} (threshold 1): ${quoted}${more > 0 ? ` and ${more} more` : ""}`,
    at,
  };
}

/** Sentiment of tester text by the AFINN-165 lexicon (Nielsen 2011) from the package sentiment. English only. */
import Sentiment from "sentiment";
import type { Sentiment as SentimentLabel } from "../../contract/insights.ts";

/** Maximum characters read from a text. */
const MAX_TEXT_LENGTH = 2000;
/** Minimum total valence of a non-neutral text: one clear word (like +2, boring -3), but not a weak one (easy +1). */
const MIN_SCORE = 2;
/** Minimum average valence per word: a single clear word among more than ten others does not set the sentiment. */
const MIN_COMPARATIVE = 0.18;

let lexicon: Sentiment | null = null;

/** The sentiment of a text. Texts that are not in English are neutral. */
export function classifySentiment(text: string): SentimentLabel {
  const valence = scoreValence(text);
  if (valence === 0) return "neutral";
  return valence > 0 ? "positive" : "negative";
}

/** The total valence of the words of a text: negative for a negative text, 0 for a neutral one. */
export function scoreValence(text: string): number {
  const excerpt = text.slice(0, MAX_TEXT_LENGTH);
  if (!looksEnglish(excerpt)) return 0;
  lexicon ??= new Sentiment();
  const { score, comparative } = lexicon.analyze(excerpt);
  return Math.abs(score) < MIN_SCORE || Math.abs(comparative) < MIN_COMPARATIVE ? 0 : score;
}

/** Frequent English function words. */
const englishWords = splitWords(
  "the and is it i was of to you that this too but not for with my are on at be have very so just all they were had what there when how don't didn't it's can could would should really",
);
/** Frequent function words of languages that share words with the English lexicon, such as German die, war and hell. */
const otherLanguageWords = splitWords(
  "der die das und ist nicht ich ein eine es war zu den mit auf aber sehr le la les des et est pas je un une il que qui pour dans très el los las y no es muy con por una pero lo che di è non per sono molto de het een en niet ik maar zijn og er ikke jeg det som och att är inte jag em não muito para mas o os uma nie się na jest to bardzo",
);
const sharedWords = new Set([...englishWords].filter((word) => otherLanguageWords.has(word)));

function splitWords(list: string): Set<string> {
  return new Set(list.split(" "));
}

/**
 * Detects English by its function words. A text without function words counts as English if it uses the Latin alphabet.
 */
export function looksEnglish(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{M}']+/gu) ?? [];
  const latin = words.filter((word) => /^[a-z']+$/.test(word)).length;
  if (latin * 4 < words.length * 3) return false;
  const count = (list: Set<string>) =>
    words.filter((word) => list.has(word) && !sharedWords.has(word)).length;
  return count(otherLanguageWords) <= count(englishWords);
}

/** Phrases of players who do not understand what a game expects. */
const CONFUSION_PHRASES =
  /\b(confus\w*|unclear|puzzl(?:ed|ing)|lost|no idea|(?:do|did|could)(?:n't| not) (?:understand|know|get|figure|find|see)|what (?:to|am i|do i|was i)|where (?:to|am i|do i|was i)|how (?:to|do i|am i|was i)|makes? no sense)\b/i;

/** Whether an English text contains a phrase of confusion. */
export function isConfused(text: string): boolean {
  const excerpt = text.slice(0, MAX_TEXT_LENGTH).replaceAll("’", "'");
  return looksEnglish(excerpt) && CONFUSION_PHRASES.test(excerpt);
}

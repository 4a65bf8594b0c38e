/** Sentiment of what testers write: by the AFINN-165 lexicon (Nielsen 2011) of the package sentiment; English alone. */
import Sentiment from "sentiment";
import type { Sentiment as Mood } from "../../contract/insights.ts";

/** Characters that are read of a text. */
const MAX_TEXT_LENGTH = 2000;
/** Summed valence from which a text is more than neutral: one clear word (like +2, boring -3), no faint one (easy +1). */
export const MIN_SCORE = 2;
/** And a word on average: a single clear word among more than ten others says little of the whole. */
export const MIN_COMPARATIVE = 0.18;

let lexicon: Sentiment | null = null;

/** Whether a text is positive or negative; neutral where it is neither, or in another language than English. */
export function classifySentiment(text: string): Mood {
  const valence = scoreValence(text);
  if (valence === 0) return "neutral";
  return valence > 0 ? "positive" : "negative";
}

/** The summed valence of a text's words, below 0 for a negative text; 0 for one that is neutral. */
export function scoreValence(text: string): number {
  const read = text.slice(0, MAX_TEXT_LENGTH);
  if (!looksEnglish(read)) return 0;
  lexicon ??= new Sentiment();
  const { score, comparative } = lexicon.analyze(read);
  return Math.abs(score) < MIN_SCORE || Math.abs(comparative) < MIN_COMPARATIVE ? 0 : score;
}

/** Words that English text is held together by, and that its neighbours lack. */
const englishWords = splitWords(
  "the and is it i was of to you that this too but not for with my are on at be have very so just all they were had what there when how don't didn't it's can could would should really",
);
/** The same of languages that share words with the English lexicon, such as the German die, war and hell. */
const otherLanguageWords = splitWords(
  "der die das und ist nicht ich ein eine es war zu den mit auf aber sehr le la les des et est pas je un une il que qui pour dans très el los las y no es muy con por una pero lo che di è non per sono molto de het een en niet ik maar zijn og er ikke jeg det som och att är inte jag em não muito para mas o os uma nie się na jest to bardzo",
);
const sharedWords = new Set([...englishWords].filter((word) => otherLanguageWords.has(word)));

function splitWords(list: string): Set<string> {
  return new Set(list.split(" "));
}

/** By the words that hold it together; a text without any is taken as English where its letters are. */
export function looksEnglish(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{M}']+/gu) ?? [];
  const latin = words.filter((word) => /^[a-z']+$/.test(word)).length;
  if (latin * 4 < words.length * 3) return false;
  const count = (of: Set<string>) => words.filter((word) => of.has(word) && !sharedWords.has(word)).length;
  return count(otherLanguageWords) <= count(englishWords);
}

/** What people write who do not understand what a game wants. */
const CONFUSION_PHRASES =
  /\b(confus\w*|unclear|puzzl(?:ed|ing)|lost|no idea|(?:do|did|could)(?:n't| not) (?:understand|know|get|figure|find|see)|what (?:to|am i|do i|was i)|where (?:to|am i|do i|was i)|how (?:to|do i|am i|was i)|makes? no sense)\b/i;

/** Whether a text says that its writer was at a loss. */
export function isConfused(text: string): boolean {
  const read = text.slice(0, MAX_TEXT_LENGTH).replaceAll("’", "'");
  return looksEnglish(read) && CONFUSION_PHRASES.test(read);
}

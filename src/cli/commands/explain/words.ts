/** The words that answers use for a state or a result, with what each means. */

import { MIN_COMPARED_TESTERS } from "../../../contract/build-order.ts";

/** A word, what has it and what it means there. */
export interface Term {
  readonly word: string;
  /** What has the state, such as `a session`. */
  readonly of: string;
  readonly meaning: string;
}

const termsOf = (of: string, meanings: Readonly<Record<string, string>>): Term[] =>
  Object.entries(meanings).map(([word, meaning]) => ({ word, of, meaning }));

export const rowMeanings = {
  worse: "The change for the worse is larger than chance explains for all rows of its kind together.",
  better: "The change for the better is larger than chance explains for all rows of its kind together.",
  "ruled out": "A change for the worse that is larger than the limit can be ruled out.",
  unclear:
    "Chance explains the change, but more testers could show one. “May be chance” marks a row that would be worse if it " +
    "were the only one.",
  "not comparable": "There is nothing to compare, for the reason that the row names.",
} as const;

/** The same for a row that only one of two builds can have. */
export const NEW_ROOM_WORSE =
  "More of those who entered it are affected than the limit allows, by more than chance explains.";

export const terms: readonly Term[] = [
  ...termsOf("a row", rowMeanings),
  { word: "worse", of: "a new room", meaning: NEW_ROOM_WORSE },
  ...termsOf("a build", {
    mixed: "It is worse in some rows and better in others.",
    "no clear difference": "No row that decides is worse or better than chance explains.",
    "too few testers to compare": `It or the build before has fewer than ${MIN_COMPARED_TESTERS} testers. The rows still show what they did.`,
    "not tested": "The service does not report what each tester did, so nothing is known about chance.",
  }),
  ...termsOf("a gate", {
    failed: "A row is worse by more than the rules allow. The exit code is 10.",
    passed:
      "No row that the rules name is worse, and there were enough testers to notice. The exit code is 0.",
    inconclusive:
      "The builds have too few testers, or too few analyzed sessions, to decide. The exit code is 11.",
  }),
  ...termsOf("a session", {
    pending: "It ended and waits for its analysis, or it still receives events.",
    transcribing: "The service writes down the speech in its recording.",
    processing: "It is being analyzed.",
    analyzed: "Its analysis is complete.",
    failed: "Its analysis failed. It does not count as a session without problems.",
  }),
  ...termsOf("an experiment", {
    draft: "It has not started, and players get no variant.",
    running: "New players get a variant.",
    stopped: "New players no longer get a variant.",
    "keep running": "It is too early to choose a variant. The answer says why.",
    ship: "The variant leads, and neither crashes nor friction nor quits speak against it.",
    stop: "No variant is worth choosing over the control.",
  }),
  ...termsOf("a playtest key", {
    available: "Nobody has it yet.",
    reserved: "It is meant for one invited tester, who has not redeemed it.",
    redeemed: "A tester has taken it.",
    revoked: "It no longer gives access.",
    expired: "Its batch is over.",
  }),
  ...termsOf("an insight", {
    strength: "How clear its evidence is, from 0 to 1. It orders insights and is not a probability.",
  }),
];

/** The terms that a text names, whatever its case; `KEEP_RUNNING` and `keep-running` are the same. */
export function findTerms(text: string): Term[] {
  const word = toWord(text);
  return terms.filter((term) => term.word === (synonyms[word] ?? word));
}

const toWord = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[-_ ]+/g, " ");

const synonyms: Readonly<Record<string, string>> = {
  "not enough data": "inconclusive",
  "may be chance": "unclear",
  "too few testers": "too few testers to compare",
  "gate failed": "failed",
  "gate passed": "passed",
};

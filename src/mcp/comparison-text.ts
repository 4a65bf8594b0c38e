/** Formats what a comparison of builds shows: the answer in words, and the test of each change. */
import { answerComparison } from "../charts/comparison-answer.ts";
import { describeChange, describeTests, formatInterval, formatPValue } from "../charts/friction.ts";
import type { TestedChange, TestedComparison } from "../charts/tested-changes.ts";
import type { BuildComparison } from "../contract/builds.ts";
import { quoted } from "./plain-text.ts";

/** Maximum number of changes whose test is listed. */
const MAX_TESTS = 30;

/** The answer and the tests of the first changes, in at most `chars` characters. */
export function comparisonText(data: BuildComparison, tested: TestedComparison, chars: number): string {
  const lines = [
    `answer: ${quoted(answerComparison(data, tested).sentences.join(" "))}`,
    `tests: tag | in a | in b | 95% interval (pp) | corrected p | result. ${describeTests(tested.changes)}`,
    ...tested.changes.slice(0, MAX_TESTS).map(formatTest),
  ];
  while (lines.length > 0 && lines.join("\n").length > chars) lines.pop();
  return lines.join("\n");
}

function formatTest(change: TestedChange): string {
  const { tag, testersA, testersB, exposedA, exposedB, interval, pValue } = change;
  return [
    `- ${quoted(tag)}`,
    `${testersA ?? "-"} of ${exposedA ?? "-"}`,
    `${testersB ?? "-"} of ${exposedB ?? "-"}`,
    interval ? formatInterval(interval) : "-",
    pValue === null ? "-" : formatPValue(pValue),
    describeChange(change),
  ].join(" | ");
}

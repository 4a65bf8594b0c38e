/** The reasons of a verdict, as sentences. */
import { formatTitleAndTag } from "../shared/tags.ts";
import type { JudgedPlay } from "./tag-counts.ts";
import type { GateFinding, LimitFinding } from "./verdict.ts";

/** The reasons of a failed gate, one per failed tag or limit. */
export function describeFailures(
  findings: readonly GateFinding[],
  limits: readonly LimitFinding[],
): string[] {
  return [
    ...findings.filter(({ status }) => status === "failed").map(describeFailure),
    ...limits.filter(({ status }) => status === "failed").map(describeLimit),
  ];
}

function describeFailure(finding: GateFinding): string {
  const { found, expected } = finding;
  const pValue = found.adjustedP === null ? "" : `, ${formatCorrectedP(found.adjustedP)}`;
  return `${describeIncrease(finding)} (limit: +${expected.maxIncreasePoints}${pValue})`;
}

/** The measured value of a limit, or its change, such as `bugReportsPerSession rose by 0.26 (limit: …)`. */
export function describeLimit({ name, found, expected, interval }: LimitFinding): string {
  const verb = /^(rose|fell) by /.test(found) ? "" : "is ";
  const range = interval === null ? "" : `; interval: ${interval.low} to ${interval.high}`;
  return `${name} ${verb}${found} (limit: ${expected}${range})`;
}

/** Reports that a tag increased, but the builds have too few testers for its rule. */
export function describeTooFewTesters(finding: GateFinding, { testersA, testersB }: JudgedPlay): string {
  const required = `its rule requires ${finding.expected.minTesters} testers per build`;
  return `${describeIncrease(finding)}, but ${required} (the builds have ${testersA} and ${testersB})`;
}

/** The kind and the size of a change among the judged testers. */
export function describeIncrease({ tag, title, kind, found }: GateFinding): string {
  const { judged } = found;
  const judgedKind = judged?.kind ?? kind;
  const verb = kindVerbs[judgedKind] ?? `changed (${judgedKind})`;
  return `${formatTitleAndTag({ tag, title })} ${verb}: ${formatSigned(judged?.deltaPct ?? found.deltaPct)} percentage points`;
}

const kindVerbs: Readonly<Record<string, string>> = {
  introduced: "was introduced",
  got_larger: "got larger",
  carried_over: "was carried over",
};
const formatSigned = (points: number) => `${points > 0 ? "+" : ""}${points.toFixed(1)}`;

/** A p-value with two significant digits; never shown as 0. */
export function formatPValue(p: number): string {
  return p < 0.0001 ? "< 0.0001" : String(Number(p.toPrecision(2)));
}

/** A corrected p-value in a sentence: `corrected p = 0.0027` or `corrected p < 0.0001`. */
export function formatCorrectedP(p: number): string {
  const text = formatPValue(p);
  return `corrected p ${text.startsWith("<") ? text : `= ${text}`}`;
}

/** Whether nobody in one of the builds answered the question of the tag. More testers would not change that. */
export const isUnanswered = ({ found: { judged } }: Pick<GateFinding, "found">): boolean =>
  judged !== null && Math.min(judged.totalA, judged.totalB) === 0;

/** The reasons and notes of a verdict, as sentences. */
import { formatTagPattern, formatTitleAndTag } from "../shared/tags.ts";
import type { GateBuild } from "./build-comparison.ts";
import type { Allowance, GateFinding, GateVerdict, LimitFinding } from "./verdict.ts";

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
export function describeLimit({ name, found, expected }: LimitFinding): string {
  const verb = /^(rose|fell) by /.test(found) ? "" : "is ";
  return `${name} ${verb}${found} (limit: ${expected})`;
}

/** Reports that a tag increased, but the builds have too few testers for its rule. */
export function describeTooFewTesters(finding: GateFinding, a: GateBuild, b: GateBuild): string {
  const required = `its rule requires ${finding.expected.minTesters} testers per build`;
  return `${describeIncrease(finding)}, but ${required} (the builds have ${a.testers} and ${b.testers})`;
}

const describeIncrease = ({ tag, kind, found }: GateFinding) =>
  `${formatTitleAndTag(tag)} ${kindVerbs[kind] ?? `changed (${kind})`}: ${formatSigned(found.deltaPct)} percentage points`;

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

/** Further facts about a verdict. `uncertain` describes increases that are not among the reasons. */
export function buildNotes(
  method: GateVerdict["method"],
  allow: readonly Allowance[],
  uncertain: readonly string[],
): string[] {
  const withoutTest =
    method === "points"
      ? [
          "The service does not report testers by tag, so increases are not tested for statistical significance. They may be chance.",
        ]
      : [];
  const expiring = allow.flatMap(({ tag, expires, state }) => {
    const exception = `The exception for ${formatTagPattern(tag)}`;
    if (state === "expired") return [`${exception} expired on ${expires}. The tag is checked again.`];
    return state === "expiring" ? [`${exception} expires on ${expires}.`] : [];
  });
  return [...withoutTest, ...uncertain.map((text) => `${text}.`), ...expiring];
}

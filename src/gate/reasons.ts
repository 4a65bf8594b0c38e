/** Why a gate failed, and what a reader should know beside, in sentences. */
import type { GateBuild } from "./build-comparison.ts";
import type { Allowance, GateFinding, GateVerdict, LimitFinding } from "./verdict.ts";

/** What failed, a sentence each. */
export function describeFailures(
  findings: readonly GateFinding[],
  limits: readonly LimitFinding[],
): string[] {
  return [
    ...findings.filter(({ status }) => status === "failed").map(describeFailure),
    ...limits
      .filter(({ status }) => status === "failed")
      .map(({ name, found, expected }) => `${name} is ${found}, expected ${expected}`),
  ];
}

function describeFailure({ tag, kind, found, expected }: GateFinding): string {
  const sure = found.adjustedP === null ? "" : `, p = ${formatPValue(found.adjustedP)} after correction`;
  return `${tag} was ${describeKind(kind)}: ${formatSigned(found.deltaPct)} points, at most ${expected.maxIncreasePoints} expected${sure}`;
}

/** That a tag grew, and its rule takes more testers than there are. */
export function describeTooFewTesters(
  { tag, kind, found, expected }: GateFinding,
  a: GateBuild,
  b: GateBuild,
): string {
  const testers = `${expected.minTesters} testers a build, not ${a.testers} and ${b.testers}`;
  return `${tag} was ${describeKind(kind)}: ${formatSigned(found.deltaPct)} points, but its rule takes ${testers}`;
}

const kindWords: Readonly<Record<string, string>> = {
  got_larger: "made worse",
  carried_over: "carried over",
};
const describeKind = (kind: string) => kindWords[kind] ?? kind;
const formatSigned = (points: number) => `${points > 0 ? "+" : ""}${points.toFixed(1)}`;

/** A chance in two digits that count; never as none. */
export function formatPValue(p: number): string {
  return p < 0.0001 ? "< 0.0001" : String(Number(p.toPrecision(2)));
}

/** What a reader should know beside the verdict; `unsure` tells of growth that is no reason of it. */
export function buildNotes(
  method: GateVerdict["method"],
  allow: readonly Allowance[],
  unsure: readonly string[],
): string[] {
  const byPoints =
    method === "points"
      ? ["The service tells no testers by tag, so growth is judged by points alone: chance is not ruled out."]
      : [];
  const expiring = allow.flatMap(({ tag, expires, state }) => {
    if (state === "expired") return [`The allowance of ${tag} expired on ${expires}: it counts again.`];
    return state === "expiring" ? [`The allowance of ${tag} expires on ${expires}.`] : [];
  });
  return [...byPoints, ...unsure.map((told) => `${told}.`), ...expiring];
}

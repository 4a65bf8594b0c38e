/** Why a gate failed, and what a reader should know beside, in sentences. */
import type { Allowance, GateFinding, GateVerdict, LimitFinding } from "./verdict.ts";

/** What failed, a sentence each. */
export function failuresOf(findings: readonly GateFinding[], limits: readonly LimitFinding[]): string[] {
  return [
    ...findings.filter(({ status }) => status === "failed").map(failureOf),
    ...limits
      .filter(({ status }) => status === "failed")
      .map(({ name, found, expected }) => `${name} is ${found}, expected ${expected}`),
  ];
}

function failureOf({ tag, kind, found, expected }: GateFinding): string {
  const sure = found.adjustedP === null ? "" : `, p = ${chance(found.adjustedP)} after correction`;
  return `${tag} was ${wordsOf(kind)}: ${signed(found.deltaPct)} points, at most ${expected.maxIncreasePoints} expected${sure}`;
}

const kindWords: Readonly<Record<string, string>> = {
  got_larger: "made worse",
  carried_over: "carried over",
};
const wordsOf = (kind: string) => kindWords[kind] ?? kind;
const signed = (points: number) => `${points > 0 ? "+" : ""}${points.toFixed(1)}`;

/** A chance in two digits that count; never as none. */
export function chance(p: number): string {
  return p < 0.0001 ? "< 0.0001" : String(Number(p.toPrecision(2)));
}

/** What a reader should know beside the verdict. */
export function notesOf(method: GateVerdict["method"], allow: readonly Allowance[]): string[] {
  const byPoints =
    method === "points"
      ? ["The service tells no testers by tag, so growth is judged by points alone: chance is not ruled out."]
      : [];
  const expiring = allow.flatMap(({ tag, expires, state }) => {
    if (state === "expired") return [`The allowance of ${tag} expired on ${expires}: it counts again.`];
    return state === "expiring" ? [`The allowance of ${tag} expires on ${expires}.`] : [];
  });
  return [...byPoints, ...expiring];
}

/** Texts that all reports of the gate share. They are not escaped: each report escapes them for its format. */

import { inEnvironment, MAX_VERDICT_CHANGES, type Verdict } from "../../contract/verdict.ts";
import { describeCheck, describeLimit } from "../../gate/judge.ts";
import type { Evidence, GateCheck, GateVerdict, LimitFinding, Ruling } from "../../gate/verdict.ts";

const titles = {
  passed: "GATE PASSED",
  failed: "GATE FAILED",
  inconclusive: "NOT ENOUGH DATA",
} as const;

/** The verdict in words, such as `GATE FAILED`. */
export const titleVerdict = ({ verdict }: Pick<GateVerdict, "verdict">): string => titles[verdict];

/** The verdict for whoever shows it: status, scope, the changes that failed or warned with their sessions, and what is next. */
export function summarizeGate(verdict: GateVerdict): Verdict {
  const { game, environment, a, b } = verdict;
  return {
    status: verdict.verdict,
    answer: `${titleVerdict(verdict)}: ${b.version} vs ${a.version}, ${summarizeChecks(verdict)}`,
    ...{ game, environment },
    a: { version: a.version, testers: a.testers },
    b: { version: b.version, testers: b.testers },
    changes: selectCounted(verdict)
      .slice(0, MAX_VERDICT_CHANGES)
      .map((check) => ({
        ...{ id: check.id, title: check.title, status: check.status },
        ...{ found: describeFound(check), change: rulingTitles[check.ruling] },
        sessions: check.evidence.map((moment) => ({ ...moment })),
      })),
    next: [
      "insights",
      "list",
      "--by",
      "tag",
      "--build",
      b.version,
      "--game",
      game,
      ...inEnvironment(environment),
    ],
  };
}

/** The game, both builds, the environment and the testers, such as `ember 0.9.0 vs 0.8.0 · production · 20 → 26 testers`. */
export function describeScope({ game, environment, a, b }: GateVerdict): string {
  const where = environment === "all" ? "all environments" : environment;
  return `${game} ${b.version} vs ${a.version} · ${where} · ${a.testers} → ${b.testers} testers`;
}

/** How many checks failed, such as `3 of 16 checks failed` or `16 checks, none failed`. */
export function summarizeChecks(verdict: GateVerdict): string {
  const { judged } = verdict;
  const [failed, warned] = [countRuled(verdict, "failed"), countRuled(verdict, "warned")];
  const checks = judged + verdict.limits.length;
  const count = checks === 1 ? "1 check" : `${checks} checks`;
  if (verdict.verdict === "inconclusive") return checks === 0 ? "nothing checked" : `${count}, none failed`;
  const warnings = warned === 0 ? "" : `, ${warned === 1 ? "1 warning" : `${warned} warnings`}`;
  if (failed > 0) return `${failed} of ${count} failed${warnings}`;
  return warned > 0 ? `${count}${warnings}` : `${count}, none failed`;
}

type CountedRuling = "failed" | "warned";

/** The number of checks and limits that failed or warned. */
export const countRuled = ({ checks, limits }: GateVerdict, ruling: CountedRuling): number =>
  checks.filter((check) => check.ruling === ruling).length +
  limits.filter(({ status }) => status === ruling).length;

/** Failures and warnings, in the order of the verdict. */
export const selectCounted = ({ checks }: GateVerdict): GateCheck[] => [
  ...checks.filter(({ ruling }) => ruling === "failed"),
  ...checks.filter(({ ruling }) => ruling === "warned"),
];

export const isCrossed = ({ status }: LimitFinding): boolean => status === "failed" || status === "warned";

/** The last line of a log, which repeats the verdict with what failed. */
export function concludeGate(verdict: GateVerdict): string {
  if (verdict.verdict === "inconclusive") return `Not enough data: ${verdict.reasons.join("; ")}`;
  const names = [
    ...verdict.checks.filter(({ ruling }) => ruling === "failed").map(({ id }) => id),
    ...verdict.limits.filter(({ status }) => status === "failed").map(({ name }) => name),
  ];
  const total = verdict.judged + verdict.limits.length;
  return verdict.verdict === "failed"
    ? `Failed ${names.length} of ${total} checks: ${names.join(", ")}`
    : `Passed: ${summarizeChecks(verdict)}`;
}

const MAX_WATCHED = 5;

/** What may be chance, in one line; null if nothing is. */
export function describeWatched({ checks }: GateVerdict): string | null {
  const isWatched = ({ ruling, reason, b }: GateCheck) =>
    ruling === "watch" || (reason?.startsWith("room is new") === true && (b.count ?? 0) > 0);
  const watched = checks.filter(isWatched);
  if (watched.length === 0) return null;
  const named = watched.slice(0, MAX_WATCHED).map(({ id, a, b, isNewRoom }) => {
    const after = `${b.count ?? 0}/${b.total}`;
    return isNewRoom || a.count === null ? `${id} ${after}` : `${id} ${a.count}/${a.total} → ${after}`;
  });
  const rest = watched.length - named.length;
  return `Watch (may be chance): ${named.join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`;
}

/** The rulings in words. */
export const rulingTitles: Readonly<Record<Ruling, string>> = {
  failed: "failed",
  warned: "warning",
  unsure: "too few testers",
  allowed: "allowed",
  watch: "may be chance",
  passed: "passed",
  off: "shown only",
  "not comparable": "not comparable",
};

/** What was measured, without the id. */
export const describeFound = (check: GateCheck): string => describeCheck(check).slice(check.id.length + 2);

/** The rule of a row: what fails the gate, or warns. */
export function describeRule({ level, limit, isNewRoom }: GateCheck): string {
  const effect = level === "warn" ? "warns" : "fails";
  if (isNewRoom)
    return `${effect} if surely more than ${Math.round((limit ?? 0) * 100)}% of those who entered the new room are affected`;
  const above = limit === null ? "" : ` and the increase exceeds ${Math.round(limit * 100)} points`;
  return `${effect} if it is worse beyond chance${above}`;
}

/** An insight with a tag: its id, session and title. */
export function describeEvidence({ insightId, sessionId, title }: Evidence): string {
  const what = insightId === null ? sessionId : `${insightId} in ${sessionId}`;
  return `${what}${title === null ? "" : `: ${title}`}`;
}

/** The result of the gate for one limit, in words. */
export function getLimitResult({ status, reason }: LimitFinding): string {
  if (reason !== null) return `not checked (${reason})`;
  return status === "noise" ? "may be chance" : status;
}

export { describeCheck, describeLimit };

/** How rows are judged, in two sentences. */
export function describeMethod({ isTested }: GateVerdict): string {
  return isTested
    ? "A row is worse if its change is larger than chance, corrected for all rows of its family (single-step min-p over random divisions of the testers). Friction and crashes are compared in equally long play."
    : "This service does not report what each tester did, so increases are compared with their limits only and may be chance.";
}

/**
 * Truncates a text to `maxLength` UTF-16 units, ending in `…`. This limits the size of reports. The result is not
 * escaped.
 */
export function truncateText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

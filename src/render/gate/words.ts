/** Words for the rows of the gate that all its reports share. They are not escaped: each report escapes them for its format. */
import { describeCheck } from "../../gate/judge.ts";
import type { Evidence, GateCheck, GateVerdict, LimitFinding, Ruling } from "../../gate/verdict.ts";

export const isCrossed = ({ status }: LimitFinding): boolean => status === "failed" || status === "warned";

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

/** How rows are judged, in two sentences. */
export function describeMethod({ isTested }: GateVerdict): string {
  return isTested
    ? "A row is worse if its change is larger than chance, corrected for all rows of its family (single-step min-p over random divisions of the testers). Friction and crashes are compared in equally long play."
    : "This service does not report what each tester did, so increases are compared with their limits only and may be chance.";
}

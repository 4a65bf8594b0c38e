/** What every report of a gate says alike. Texts are as they came: each report makes them safe for its own place. */
import { formatPValue } from "../../gate/reasons.ts";
import type { Evidence, FindingStatus, GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";

/** The findings of a status, under what they are called; the first two count. */
export const statusGroups: ReadonlyArray<{ readonly status: FindingStatus; readonly title: string }> = [
  { status: "failed", title: "Failed" },
  { status: "warned", title: "Warned" },
  { status: "noise", title: "Could be chance" },
  { status: "unsure", title: "Too few testers" },
  { status: "allowed", title: "Allowed" },
  { status: "small", title: "Not material" },
  { status: "off", title: "No worse, or off" },
];

/** The findings that count, those that failed first; and the others, by status. */
export function groupFindings({ findings }: GateVerdict): {
  readonly counted: readonly GateFinding[];
  readonly others: readonly GateFinding[];
} {
  const sorted = statusGroups.flatMap(({ status }) => findings.filter((one) => one.status === status));
  const isCounted = ({ status }: GateFinding) => status === "failed" || status === "warned";
  return { counted: sorted.filter(isCounted), others: sorted.filter((one) => !isCounted(one)) };
}

export const getStatusTitle = (status: FindingStatus) =>
  statusGroups.find((group) => group.status === status)?.title ?? status;

/** The game, both builds with their testers, and where. */
export function headline({ game, environment, a, b }: GateVerdict): string {
  const where = environment === "all" ? "every environment" : environment;
  return `${game}: ${formatBuild(a)} to ${formatBuild(b)}, in ${where}`;
}

const formatBuild = ({ version, testers }: GateVerdict["a"]) =>
  `${version} (${formatCount(testers, "tester")})`;

export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The verdict in a sentence. */
export function summarizeVerdict(verdict: GateVerdict): string {
  const judged = formatCount(verdict.judged, "tag");
  const failed = countStatus(verdict, "failed");
  const warned = countStatus(verdict, "warned");
  const warnings = warned === 0 ? "" : `; ${formatCount(warned, "warning")}`;
  if (verdict.verdict === "inconclusive") return "The gate can neither pass nor fail.";
  if (verdict.verdict === "failed")
    return `${formatCount(failed, "failure")} among ${judged} judged${warnings}.`;
  return `No failure among ${judged} judged${warnings}.`;
}

/** Tags and limits of a status. */
export function countStatus({ findings, limits }: GateVerdict, status: "failed" | "warned"): number {
  const all: ReadonlyArray<GateFinding | LimitFinding> = [...findings, ...limits];
  return all.filter((one) => one.status === status).length;
}

/** `1 of 20 → 11 of 22`; null where the service does not tell. */
export function formatShares({ found }: GateFinding, { a, b }: GateVerdict, arrow = "→"): string | null {
  const { testersA, testersB } = found;
  if (testersA === null || testersB === null) return null;
  return `${testersA} of ${a.testers} ${arrow} ${testersB} of ${b.testers}`;
}

/** Points with their sign. */
export const formatPointChange = ({ found: { deltaPct } }: GateFinding) =>
  `${deltaPct > 0 ? "+" : ""}${deltaPct.toFixed(1)}`;

/** The corrected chance; null by points alone, or where the tag is not judged. */
export const formatAdjustedP = ({ found: { adjustedP } }: GateFinding) =>
  adjustedP === null ? null : formatPValue(adjustedP);

/** What the rule of a tag asks. */
export function describeExpected({ expected }: GateFinding, { method }: GateVerdict): string {
  const { maxIncreasePoints, confidence, minTesters } = expected;
  const unless =
    method === "points"
      ? ""
      : `, or a chance above ${Number((1 - confidence).toPrecision(4))} after correction`;
  return `a growth of at most ${maxIncreasePoints} points${unless}; ${formatCount(minTesters, "tester")} a build`;
}

/** What was found of a tag. */
export function describeFound(finding: GateFinding, verdict: GateVerdict): string {
  const p = formatAdjustedP(finding);
  return [
    `${formatPointChange(finding)} points`,
    formatShares(finding, verdict) ?? "testers not told",
    ...(p === null ? [] : [`p ${p.startsWith("<") ? p : `= ${p}`} after correction`]),
  ].join(", ");
}

/** A finding behind a tag: its id, its session, its title. */
export function describeEvidence({ insightId, sessionId, title }: Evidence): string {
  return `${insightId} in ${sessionId}${title === null ? "" : `: ${title}`}`;
}

/** How it was judged, in a sentence. */
export function describeMethod({ method, judged }: GateVerdict): string {
  if (judged === 0) return "No tag was judged.";
  return method === "fisher"
    ? "Judged by Fisher's exact test, one-sided, corrected for the tags judged (Westfall and Wolfinger)."
    : "Judged by points alone, without a test of chance.";
}

/**
 * At most so many UTF-16 units of a text, its end as `…`. Bounds what a report may grow by; what is left is as hostile
 * as before.
 */
export function truncateText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

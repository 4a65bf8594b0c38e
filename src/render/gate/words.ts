/** Texts that all reports of the gate share. They are not escaped: each report escapes them for its format. */
import { formatPValue } from "../../gate/reasons.ts";
import type { Evidence, FindingStatus, GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import { formatCount } from "../numbers.ts";

/** The title of each status, in the order of reports. The first two affect the verdict. */
export const statusGroups: ReadonlyArray<{ readonly status: FindingStatus; readonly title: string }> = [
  { status: "failed", title: "Failed" },
  { status: "warned", title: "Warning" },
  { status: "noise", title: "Not significant" },
  { status: "unsure", title: "Too few testers" },
  { status: "allowed", title: "Allowed" },
  { status: "small", title: "Below threshold" },
  { status: "off", title: "Not worse, or not checked" },
];

/** The findings that affect the verdict, failures first, and the others by status. */
export function groupFindings({ findings }: GateVerdict): {
  readonly counted: readonly GateFinding[];
  readonly others: readonly GateFinding[];
} {
  const sorted = statusGroups.flatMap(({ status }) =>
    findings.filter((finding) => finding.status === status),
  );
  const isCounted = ({ status }: GateFinding) => status === "failed" || status === "warned";
  return { counted: sorted.filter(isCounted), others: sorted.filter((finding) => !isCounted(finding)) };
}

export const getStatusTitle = (status: FindingStatus) =>
  statusGroups.find((group) => group.status === status)?.title ?? status;

/** The game, both builds with their number of testers, and the environment. */
export function headline({ game, environment, a, b }: GateVerdict): string {
  const where = environment === "all" ? "all environments" : environment;
  return `${game}: ${formatBuild(a)} to ${formatBuild(b)}, in ${where}`;
}

const formatBuild = ({ version, testers }: GateVerdict["a"]) =>
  `${version} (${formatCount(testers, "tester")})`;

/** The result in a sentence. */
export function summarizeVerdict(verdict: GateVerdict): string {
  if (verdict.verdict === "inconclusive") return "Not enough data to decide.";
  const failed = countStatus(verdict, "failed");
  const warned = countStatus(verdict, "warned");
  const counts = [
    failed === 0 ? "No failures" : formatCount(failed, "failure"),
    ...(warned === 0 ? [] : [formatCount(warned, "warning")]),
    `${formatCount(verdict.judged, "tag")} checked`,
  ];
  return `${counts.join(", ")}.`;
}

/** The number of tags and limits with a status. */
export function countStatus({ findings, limits }: GateVerdict, status: "failed" | "warned"): number {
  const all: ReadonlyArray<GateFinding | LimitFinding> = [...findings, ...limits];
  return all.filter((result) => result.status === status).length;
}

/** The testers with the tag in both builds, `1 of 20 → 11 of 22`; null if they are unknown. */
export function formatTesters({ found }: GateFinding, { a, b }: GateVerdict, arrow = "→"): string | null {
  const { testersA, testersB } = found;
  if (testersA === null || testersB === null) return null;
  return `${testersA} of ${a.testers} ${arrow} ${testersB} of ${b.testers}`;
}

/** The change in percentage points, with its sign. */
export const formatPointChange = ({ found: { deltaPct } }: GateFinding) =>
  `${deltaPct > 0 ? "+" : ""}${deltaPct.toFixed(1)}`;

/** The corrected p-value; null without a test, or if the tag is not checked. */
export const formatAdjustedP = ({ found: { adjustedP } }: GateFinding) =>
  adjustedP === null ? null : formatPValue(adjustedP);

/** The condition under which a tag passes its rule. */
export function describeExpected({ expected }: GateFinding, { method }: GateVerdict): string {
  const { maxIncreasePoints, confidence, minTesters } = expected;
  const orNotSignificant =
    method === "points" ? "" : `, or a corrected p-value above ${Number((1 - confidence).toPrecision(4))}`;
  const testers = `at least ${formatCount(minTesters, "tester")} per build`;
  return `an increase of at most ${maxIncreasePoints} percentage points${orNotSignificant}; ${testers}`;
}

/** The measured change of a tag. */
export function describeFound(finding: GateFinding, verdict: GateVerdict): string {
  const p = formatAdjustedP(finding);
  return [
    `${formatPointChange(finding)} percentage points`,
    formatTesters(finding, verdict) ?? "number of testers unknown",
    ...(p === null ? [] : [`corrected p ${p.startsWith("<") ? p : `= ${p}`}`]),
  ].join(", ");
}

/** An insight with a tag: its id, session and title. */
export function describeEvidence({ insightId, sessionId, title }: Evidence): string {
  return `${insightId} in ${sessionId}${title === null ? "" : `: ${title}`}`;
}

/** The method of the gate, in a sentence. */
export function describeMethod({ method, judged }: GateVerdict): string {
  if (judged === 0) return "No tags were checked.";
  return method === "fisher"
    ? "Tested with the one-sided Fisher's exact test, corrected for all checked tags (Westfall and Wolfinger)."
    : "Compared by percentage points only, without a test for statistical significance.";
}

/**
 * Truncates a text to `maxLength` UTF-16 units, ending in `…`. This limits the size of reports. The result is not
 * escaped.
 */
export function truncateText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

/** Texts that all reports of the gate share. They are not escaped: each report escapes them for its format. */

import { describeCarriedOver, kindTitle } from "../../charts/friction.ts";
import { formatCorrectedP, formatPValue, isUnanswered } from "../../gate/reasons.ts";
import type { Evidence, FindingStatus, GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import { findTagQuestion } from "../../shared/tag-subjects.ts";
import { formatCount } from "../numbers.ts";

/**
 * A group of findings. The status `off` has two groups: tags whose share did not increase, and tags whose share did, but
 * whose rule is off. The status `unsure` also has two: tags whose rule needs more testers, and tags that have enough, but
 * are not judged for another reason.
 */
export type FindingGroup = Exclude<FindingStatus, "off"> | "unjudged" | "same" | "disabled";

/** The groups in the order of reports. The first two affect the verdict. */
export const findingGroups: ReadonlyArray<{ readonly group: FindingGroup; readonly title: string }> = [
  { group: "failed", title: "Failed" },
  { group: "warned", title: "Warning" },
  { group: "noise", title: "Not significant" },
  { group: "unsure", title: "Too few testers" },
  { group: "unjudged", title: "Not judged" },
  { group: "allowed", title: "Allowed" },
  { group: "small", title: "Within the limit" },
  { group: "same", title: "Not worse" },
  { group: "disabled", title: "Turned off" },
];

/** The kind of the change among the judged testers. */
const getKind = ({ kind, found }: GateFinding) => found.judged?.kind ?? kind;

/** The change of the share of testers, in percentage points; among the judged testers if they are known. */
const getPointChange = ({ found }: GateFinding) => found.judged?.deltaPct ?? found.deltaPct;

/**
 * The change among the judged testers, in words. The gate does not test decreases, so a tag that no tester of b has is
 * not called resolved, and a tag that no judged tester has is not called carried over.
 */
export function getChangeTitle(finding: GateFinding): string {
  const { judged } = finding.found;
  if (judged?.testersA === 0 && judged.testersB === 0) return NOT_SEEN;
  const kind = getKind(finding);
  return kind === "resolved" ? "Not seen again" : kindTitle(kind);
}

const NOT_SEEN = "Not in judged sessions";

/** The group of a finding. */
export function getFindingGroup(finding: GateFinding, { a, b }: GateVerdict): FindingGroup {
  const { status, expected } = finding;
  if (status === "unsure" && Math.min(a.judgedTesters, b.judgedTesters) >= expected.minTesters)
    return "unjudged";
  if (status !== "off") return status;
  return getPointChange(finding) > 0 ? "disabled" : "same";
}

/** The findings of a group, in the order of the verdict. */
export const selectGroup = (verdict: GateVerdict, group: FindingGroup) =>
  verdict.findings.filter((finding) => getFindingGroup(finding, verdict) === group);

/** The findings that affect the verdict, failures first, and the others by group. */
export function groupFindings(verdict: GateVerdict): {
  readonly counted: readonly GateFinding[];
  readonly others: readonly GateFinding[];
} {
  const sorted = findingGroups.flatMap(({ group }) => selectGroup(verdict, group));
  const isCounted = ({ status }: GateFinding) => status === "failed" || status === "warned";
  return { counted: sorted.filter(isCounted), others: sorted.filter((finding) => !isCounted(finding)) };
}

/** The result of the gate for one finding, in words. The gate only tests increases, so it never reports that a tag got better. */
export function getResultTitle(finding: GateFinding, verdict: GateVerdict): string {
  const group = getFindingGroup(finding, verdict);
  return findingGroups.find((entry) => entry.group === group)?.title ?? group;
}

/** The result of the gate for one limit, in words. */
export function getLimitResult({ status, reason }: LimitFinding): string {
  if (reason !== null) return `not checked (${reason})`;
  return status === "noise" ? "not significant" : status;
}

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
  const counts = [
    formatStatusCount(verdict, "failed", "failure") ?? "No failures",
    formatStatusCount(verdict, "warned", "warning"),
    `${formatCount(verdict.judged, "tag")} compared`,
  ];
  return `${counts.filter((count) => count !== null).join(", ")}.`;
}

/** `2 failures`, or with limits `4 failures (3 tags, 1 limit)`; null for none. */
function formatStatusCount(verdict: GateVerdict, status: CountedStatus, noun: string): string | null {
  const { tags, limits } = countByType(verdict, status);
  const total = formatCount(tags + limits, noun);
  if (limits === 0) return tags === 0 ? null : total;
  const parts = [...(tags === 0 ? [] : [formatCount(tags, "tag")]), formatCount(limits, "limit")];
  return `${total} (${parts.join(", ")})`;
}

type CountedStatus = "failed" | "warned";

const countByType = ({ findings, limits }: GateVerdict, status: CountedStatus) => ({
  tags: findings.filter((finding) => finding.status === status).length,
  limits: limits.filter((limit) => limit.status === status).length,
});

/** The number of tags and limits with a status. */
export function countStatus(verdict: GateVerdict, status: CountedStatus): number {
  const { tags, limits } = countByType(verdict, status);
  return tags + limits;
}

/** The judged testers with the tag in both builds, `1 of 20 → 11 of 22`; null if they are unknown. */
export function formatTesters({ found }: GateFinding, { a, b }: GateVerdict, arrow = "→"): string | null {
  const { testersA, testersB, judged } = found;
  if (judged) return `${judged.testersA} of ${judged.totalA} ${arrow} ${judged.testersB} of ${judged.totalB}`;
  if (testersA === null || testersB === null) return null;
  return `${testersA} of ${a.testers} ${arrow} ${testersB} of ${b.testers}`;
}

/** The change in percentage points, with its sign. */
export function formatPointChange(finding: GateFinding): string {
  const deltaPct = getPointChange(finding);
  return `${deltaPct > 0 ? "+" : ""}${deltaPct.toFixed(1)}`;
}

/** The corrected p-value; null without a test, or if the tag is not compared. */
export const formatAdjustedP = ({ found: { adjustedP } }: GateFinding) =>
  adjustedP === null ? null : formatPValue(adjustedP);

/** The rule of a tag: the increase that fails the gate, or that warns. */
export function describeRule({ expected, level }: GateFinding, { method }: GateVerdict): string {
  const { maxIncreasePoints, minTesters } = expected;
  const andSignificant =
    method === "points" ? "" : ` and the corrected p-value is at most ${formatLevel({ expected })}`;
  const effect = level === "warn" ? "warns" : "fails";
  const minimum = `minimum: ${formatCount(minTesters, "tester")} per build`;
  return `${effect} if the increase exceeds ${maxIncreasePoints} percentage points${andSignificant} (${minimum})`;
}

/** The measured change of a tag. */
export function describeFound(finding: GateFinding, verdict: GateVerdict): string {
  const { adjustedP } = finding.found;
  return [
    `${formatPointChange(finding)} percentage points`,
    formatTesters(finding, verdict) ?? "number of testers unknown",
    ...(adjustedP === null ? [] : [formatCorrectedP(adjustedP)]),
  ].join(", ");
}

/** An insight with a tag: its id, session and title. */
export function describeEvidence({ insightId, sessionId, title }: Evidence): string {
  return `${insightId} in ${sessionId}${title === null ? "" : `: ${title}`}`;
}

/**
 * Explains the results in the report, with one sentence for each result that is not self-explanatory. `listed` are the
 * findings that the report lists with the title of their change.
 */
export function explainResults(verdict: GateVerdict, listed: readonly GateFinding[]): string[] {
  const titles = new Set(listed.map(getChangeTitle));
  const has = (group: FindingGroup) => selectGroup(verdict, group).length > 0;
  return [
    ...(has("noise") ? [describeNoise(verdict)] : []),
    ...(has("unjudged") ? [describeUnjudged(verdict)] : []),
    ...(has("small") ? ["Within the limit: the increase is too small to fail."] : []),
    ...(titles.has(kindTitle("carried_over")) ? [describeCarriedOver()] : []),
    ...(has("disabled") ? ["Turned off: the rules ignore this increase."] : []),
    ...(titles.has(NOT_SEEN) ? [`${NOT_SEEN}: only sessions that are not judged have the tag.`] : []),
  ];
}

/** Why increases are not judged although there are enough testers. */
function describeUnjudged(verdict: GateVerdict): string {
  return selectGroup(verdict, "unjudged").every(isUnanswered)
    ? "Not judged: nobody in one of the builds answered the question."
    : "Not judged: this run does not test the increase.";
}

/** Why increases are not significant, with the p-value that they must not exceed if it is the same for all. */
function describeNoise(verdict: GateVerdict): string {
  const levels = new Set(selectGroup(verdict, "noise").map(formatLevel));
  const [level] = levels;
  return levels.size === 1
    ? `Not significant: the increase may be chance (corrected p-value above ${level}).`
    : "Not significant: the increase may be chance (corrected p-value above 1 minus the confidence of the tag's rule).";
}

/** The largest significant p-value of a tag. */
const formatLevel = ({ expected }: Pick<GateFinding, "expected">) =>
  String(Number((1 - expected.confidence).toPrecision(4)));

/** The method of the gate, one sentence each. */
export function describeMethod({ method, judged, a, b, findings }: GateVerdict): string[] {
  if (judged === 0) return ["No tags were compared."];
  if (method === "points")
    return ["Increases are compared in percentage points only, without a test for statistical significance."];
  // Without the answers of each tester, for example in an old baseline, all testers count for them.
  const isLimited = findings.some(
    ({ tag, found: { judged: counts } }) =>
      findTagQuestion(tag) !== null &&
      counts !== null &&
      (counts.totalA < a.judgedTesters || counts.totalB < b.judgedTesters),
  );
  const isAllowedFor = findings.some(({ found }) => (found.judged?.oddsRatio ?? 1) !== 1);
  const isMatched = a.judgedSessions !== null && b.judgedSessions !== null;
  const testers = isMatched
    ? [
        "For tags about a room, only testers who entered the room count.",
        ...(isLimited ? ["For tags about answers, only testers who answered the question count."] : []),
        "If nobody entered a room in one of the builds, all testers of both builds count.",
        "If testers played more sessions of one build than of the other, only the first sessions of each tester count, so that both builds were played equally often.",
      ]
    : [
        "All testers count, even if those of one build played more, because what each tester played is not known.",
        "Metrics with limits are of all environments and not tested.",
      ];
  return [
    ...testers,
    "P-values: one-sided Fisher's exact test, corrected for the number of compared tags (Westfall and Wolfinger).",
    ...(isAllowedFor ? ["Where the testers of b played longer, p-values allow for it."] : []),
  ];
}

/**
 * Truncates a text to `maxLength` UTF-16 units, ending in `…`. This limits the size of reports. The result is not
 * escaped.
 */
export function truncateText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

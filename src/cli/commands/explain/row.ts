/** A row explained: what it counts, and what the comparison of two builds found in it. */
import { findMeaning } from "../../../charts/meanings.ts";
import {
  describeChange,
  describeScope,
  formatDifference,
  formatRange,
  formatSides,
  type ScorecardView,
} from "../../../charts/scorecard.ts";
import type { RowEvidence } from "../../../contract/scorecard.ts";
import type { Detail } from "../../../render/details.ts";
import { describeSessions } from "../../../render/status/text.ts";
import { parseRowId } from "../../../scorecard/figures.ts";
import { describeRow, type TitledRow } from "../../../scorecard/titled-rows.ts";
import { formatPValue } from "../../../shared/p-value.ts";
import type { Explanation } from "./explanation.ts";
import { NEW_ROOM_WORSE, rowMeanings } from "./words.ts";

/** A row without a comparison. */
export function explainSubject(id: string): Explanation {
  const { metric, subject } = parseRowId(id);
  const name = { name: metric.name, subject, metric: id };
  const { counts, among } = findMeaning(name);
  return {
    title: describeRow(name, new Map()),
    scope: id,
    details: [
      ["Counts", counts],
      ["Among", among],
    ],
  };
}

/** What shows a row in build b. */
interface Shown {
  /** The sessions that show it; null if the service does not select them. */
  readonly evidence: RowEvidence | null;
  /** The title of an insight with the tag. */
  readonly example: string | null;
}

export function explainRow(view: ScorecardView, row: TitledRow, { evidence, example }: Shown): Explanation {
  const { counts, among } = findMeaning(row);
  const sessions = describeSessions(evidence?.sessions ?? []);
  const [a, b] = [view.a.version, view.b.version];
  const found = [formatSides(row), row.isNewRoom ? null : formatDifference(row)];
  return {
    title: `${row.title}: ${row.status === "worse" || row.status === "better" ? `${row.status} in ${b}` : row.status}`,
    scope: `${describeScope(view)} · ${row.id}`,
    details: [
      ["Counts", counts],
      ["Among", row.isNewRoom ? `${among}, and had not played ${a}` : among],
      [row.isNewRoom ? b : `${a} → ${b}`, found.filter((text) => text !== null && text !== "").join(", ")],
      ...describeLimit(row),
      ...describeChance(row),
      ["Result", view.isTested ? describeResult(row) : view.notes.join(" ")],
      ...(row.restsOnPractice
        ? [["Practice", "It is better only for testers of both builds, who have practice."] as const]
        : []),
      ...(view.isTested ? [["Decides", describeDecision(view, row)] as const] : []),
      ...(example === null ? [] : [["Example", example] as const]),
      ...(sessions === "" ? [] : [["Sessions", sessions] as const]),
    ],
  };
}

function describeResult(row: TitledRow): string {
  if (row.reason !== null) return `${describeChange(row)}.`;
  if (row.isNewRoom && row.status === "worse") return NEW_ROOM_WORSE;
  return rowMeanings[row.status];
}

function describeLimit({ limit, unit, isNewRoom }: TitledRow): Detail[] {
  if (limit === null) return [];
  if (isNewRoom)
    return [["Limit", `${Math.round(limit * 100)}%, because no tester of the first build entered the room`]];
  const size = unit === "share" ? `${Math.round(limit * 100)} percentage points` : String(limit);
  return [["Limit", `a change for the worse by less than ${size} does not matter`]];
}

/** What chance explains. The range and the p-value hold for all rows of the family together. */
function describeChance(row: TitledRow): Detail[] {
  const { adjustedPValue, noticed, b } = row;
  const points = row.unit === "share" && !row.isNewRoom ? " percentage points" : "";
  const range = formatRange(row)?.concat(points) ?? null;
  const chance =
    adjustedPValue === null ? null : `p ${formatPValue(adjustedPValue)}, corrected for all such rows`;
  return [
    ...(range === null ? [] : [["Range", range] as const]),
    ...(chance === null ? [] : [["Chance", chance] as const]),
    ...(noticed === null ? [] : [["Worse from", `${noticed} of ${b.total} testers on`] as const]),
  ];
}

function describeDecision({ scorecard }: ScorecardView, { decides, name }: TitledRow): string {
  const summary = scorecard?.families.find(({ metrics }) => metrics.includes(name));
  if (!decides) return "nothing; it is only shown";
  return summary === undefined || summary.decides ? "the comparison and the gate" : "the comparison";
}

/** The shares of a scorecard as bars in percentage points, grouped by what they show. */
import type { RowStatus } from "../scorecard/rows.ts";
import type { TitledRow } from "../scorecard/titled-rows.ts";
import type { BarRow, Bars, ChartMood } from "./charts.ts";
import { describeAnswer, describeScope, formatRange, formatSides, type ScorecardView } from "./scorecard.ts";

/** The rows of a scorecard by status, in the order in which they matter. */
export const statusGroups: ReadonlyArray<{
  readonly status: RowStatus;
  readonly title: string;
  readonly mood: ChartMood;
}> = [
  { status: "worse", title: "Worse", mood: "bad" },
  { status: "better", title: "Better", mood: "good" },
  { status: "unclear", title: "Unclear", mood: "neutral" },
  { status: "ruled out", title: "Ruled out", mood: "neutral" },
  { status: "not comparable", title: "Not comparable", mood: "neutral" },
];

/** The rows about shares that can be compared. */
export function scorecardChart(view: ScorecardView): Bars {
  const rows = view.rows.filter(({ unit, name }) => unit === "share" && name !== "completion");
  return {
    kind: "bars",
    title: describeAnswer(view),
    note: [describeScope(view), view.notes.join(" ")].filter((text) => text !== "").join(". "),
    unit: "points",
    labels: "What testers did",
    columns: ["testers", "range"],
    groups: statusGroups
      .filter(({ status }) => status !== "not comparable")
      .map(({ status, title, mood }) => ({
        title,
        mood,
        rows: rows.filter((row) => row.status === status).map((row) => toBarRow(row, mood)),
      }))
      .filter((group) => group.rows.length > 0),
  };
}

/** A row about a new room has the share of those who entered it. */
function toBarRow(row: TitledRow, mood: ChartMood): BarRow {
  const value = row.isNewRoom ? row.b.value : row.difference;
  return {
    label: row.title,
    value: value === null ? null : value * 100,
    mood,
    details: [formatSides(row), formatRange(row)],
  };
}

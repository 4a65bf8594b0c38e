/** Columns of a scorecard: as numbers in files, and as texts for people. */
import { describeChange, formatRange, formatSides } from "../../charts/scorecard.ts";
import type { TitledRow } from "../../scorecard/titled-rows.ts";
import { formatPValue } from "../../shared/p-value.ts";
import type { TableColumn } from "../columns.ts";
import { getRowMark } from "../verdict-marks.ts";
import { textColumn } from "./columns.ts";

/** Numbers that belong together stand together. Shares and their differences are from 0 to 1. */
export const scorecardColumns: readonly TableColumn<TitledRow>[] = [
  textColumn("id", "ROW", ({ id }) => id, 1),
  textColumn("family", "FAMILY", ({ family }) => family),
  textColumn("kind", "KIND", ({ kind }) => kind),
  textColumn("status", "STATUS", ({ status }) => status),
  textColumn("reason", "REASON", ({ reason }) => reason),
  textColumn("isNewRoom", "NEW ROOM", ({ isNewRoom }) => String(isNewRoom)),
  textColumn("a.count", "COUNT A", ({ a }) => a.count),
  textColumn("a.total", "TOTAL A", ({ a }) => a.total),
  textColumn("a.value", "VALUE A", ({ a }) => a.value),
  textColumn("b.count", "COUNT B", ({ b }) => b.count),
  textColumn("b.total", "TOTAL B", ({ b }) => b.total),
  textColumn("b.value", "VALUE B", ({ b }) => b.value),
  textColumn("difference", "DIFFERENCE", ({ difference }) => difference),
  textColumn("rangeLow", "LOW", ({ range }) => range?.low ?? null),
  textColumn("rangeHigh", "HIGH", ({ range }) => range?.high ?? null),
  textColumn("limit", "LIMIT", ({ limit }) => limit),
  textColumn("pValue", "P", ({ pValue }) => pValue),
  textColumn("adjustedPValue", "CORRECTED P", ({ adjustedPValue }) => adjustedPValue),
];

/** The mark of a row. A new room can only add to what testers met. */
export const markRow = ({ status, isNewRoom, difference }: TitledRow): string =>
  getRowMark(status, isNewRoom || (difference ?? 0) > 0);

const styles = { worse: "bad", better: "good" } as const;

/** The columns of pages and reports. */
export const shownScorecardColumns: readonly TableColumn<TitledRow>[] = [
  {
    key: "status",
    header: "Result",
    value: ({ status }) => status,
    format: (status, _, row) => `${markRow(row)} ${status}`,
    style: ({ status }) => (status === "worse" || status === "better" ? styles[status] : "muted"),
  },
  { key: "title", header: "What testers did", value: ({ title }) => title, wrap: true },
  { key: "sides", header: "Testers", align: "right", value: (row) => formatSides(row) },
  {
    key: "difference",
    header: "Change",
    align: "right",
    value: ({ difference }) => difference,
    format: (_, __, row) => describeChange(row),
  },
  { key: "range", header: "Range", align: "right", value: formatRange },
  {
    key: "adjustedPValue",
    header: "p",
    align: "right",
    value: ({ adjustedPValue }) => adjustedPValue,
    format: (p) => formatPValue(Number(p)),
  },
  { key: "id", header: "Tag or metric", value: ({ id }) => id },
];

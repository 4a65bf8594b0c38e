/** Columns of a scorecard: as numbers in files, and as texts for people. */
import { describeChange, formatRange, formatSides } from "../../charts/scorecard.ts";
import type { TitledRow } from "../../scorecard/titled-rows.ts";
import { formatPValue } from "../../shared/p-value.ts";
import type { TableColumn } from "../columns.ts";
import { getRowMark } from "../verdict-marks.ts";
import { defineColumns } from "./columns.ts";

/** Numbers that belong together stand together. Shares and their differences are from 0 to 1. */
export const scorecardColumns = defineColumns<TitledRow>({
  id: { header: "ROW", shrink: 1 },
  family: { header: "FAMILY" },
  kind: { header: "KIND" },
  status: { header: "STATUS" },
  reason: { header: "REASON" },
  isNewRoom: { header: "NEW ROOM", value: ({ isNewRoom }) => String(isNewRoom) },
  "a.count": { header: "COUNT A" },
  "a.total": { header: "TOTAL A" },
  "a.value": { header: "VALUE A" },
  "b.count": { header: "COUNT B" },
  "b.total": { header: "TOTAL B" },
  "b.value": { header: "VALUE B" },
  difference: { header: "DIFFERENCE" },
  rangeLow: { header: "LOW", value: ({ range }) => range?.low },
  rangeHigh: { header: "HIGH", value: ({ range }) => range?.high },
  limit: { header: "LIMIT" },
  pValue: { header: "P" },
  adjustedPValue: { header: "CORRECTED P" },
});

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

/** Columns of the gate's checks in CSV, TSV and Markdown. */
import type { GateCheck } from "../../gate/verdict.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";

export const checkColumns: readonly TableColumn<GateCheck>[] = [
  textColumn("ruling", "RULING", ({ ruling }) => ruling),
  textColumn("id", "ROW", ({ id }) => id, 1),
  textColumn("kind", "KIND", ({ kind }) => kind),
  textColumn("status", "STATUS", ({ status }) => status),
  textColumn("a.count", "COUNT A", ({ a }) => a.count),
  textColumn("a.total", "TOTAL A", ({ a }) => a.total),
  textColumn("b.count", "COUNT B", ({ b }) => b.count),
  textColumn("b.total", "TOTAL B", ({ b }) => b.total),
  textColumn("difference", "DIFFERENCE", ({ difference }) => difference),
  textColumn("rangeLow", "LOW", ({ range }) => range?.low ?? null),
  textColumn("rangeHigh", "HIGH", ({ range }) => range?.high ?? null),
  textColumn("limit", "LIMIT", ({ limit }) => limit),
  textColumn("adjustedPValue", "CORRECTED P", ({ adjustedPValue }) => adjustedPValue),
  textColumn("reason", "REASON", ({ reason }) => reason, 2),
  textColumn(
    "evidence",
    "EVIDENCE",
    ({ evidence }) => evidence.map(({ insightId, sessionId }) => insightId ?? sessionId).join(" "),
    3,
  ),
];

/** Columns of the gate's findings in CSV, TSV and Markdown. */
import type { GateFinding } from "../../gate/verdict.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";

export const findingColumns: readonly TableColumn<GateFinding>[] = [
  textColumn("status", "STATUS", ({ status }) => status),
  textColumn("tag", "TAG", ({ tag }) => tag, 1),
  textColumn("kind", "CHANGE", ({ kind }) => kind),
  textColumn("found.deltaPct", "DIFF (PP)", ({ found }) => found.deltaPct),
  textColumn("expected.maxIncreasePoints", "LIMIT (PP)", ({ expected }) => expected.maxIncreasePoints),
  textColumn("found.testersA", "TESTERS A", ({ found }) => found.testersA),
  textColumn("found.testersB", "TESTERS B", ({ found }) => found.testersB),
  textColumn("found.adjustedP", "P-VALUE", ({ found }) => found.adjustedP),
  textColumn("reason", "REASON", ({ reason }) => reason, 2),
  textColumn(
    "evidence",
    "EVIDENCE",
    ({ evidence }) => evidence.map(({ insightId }) => insightId).join(" "),
    3,
  ),
];

/** Columns of the comparisons behind a blame. */
import type { BlameStep } from "../../gate/blame.ts";
import { formatPValue } from "../../shared/p-value.ts";
import { defineColumns } from "./columns.ts";

export const stepColumns = defineColumns<BlameStep>({
  a: { header: "FROM", shrink: 1 },
  b: { header: "TO", shrink: 2 },
  "counts.a": {
    header: "TESTERS",
    value: ({ counts }) => `${counts.testersA} of ${counts.totalA}`,
    align: "right",
  },
  "counts.b": {
    header: "THEN",
    value: ({ counts }) => `${counts.testersB} of ${counts.totalB}`,
    align: "right",
  },
  increase: {
    header: "DIFF (PP)",
    format: ({ increase }) => `${Number(increase) > 0 ? "+" : ""}${Number(increase).toFixed(1)}`,
  },
  adjustedP: {
    header: "P-VALUE",
    align: "right",
    format: ({ adjustedP }) => formatPValue(Number(adjustedP)),
  },
  rose: {
    header: "RESULT",
    value: ({ rose }) => (rose ? "rose" : "within chance"),
    tone: ({ rose }) => (rose ? "bad" : "muted"),
  },
});

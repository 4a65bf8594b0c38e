/** Columns of the comparisons behind a blame. */
import type { BlameStep } from "../../gate/blame.ts";
import { formatPValue } from "../../shared/p-value.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";

export const stepColumns: readonly TableColumn<BlameStep>[] = [
  textColumn("a", "FROM", ({ a }) => a, 1),
  textColumn("b", "TO", ({ b }) => b, 2),
  {
    key: "counts.a",
    header: "TESTERS",
    align: "right",
    value: ({ counts }) => `${counts.testersA} of ${counts.totalA}`,
  },
  {
    key: "counts.b",
    header: "THEN",
    align: "right",
    value: ({ counts }) => `${counts.testersB} of ${counts.totalB}`,
  },
  {
    key: "increase",
    header: "DIFF (PP)",
    value: ({ increase }) => increase,
    format: (points) => `${Number(points) > 0 ? "+" : ""}${Number(points).toFixed(1)}`,
  },
  {
    key: "adjustedP",
    header: "P-VALUE",
    align: "right",
    value: ({ adjustedP }) => adjustedP,
    format: (p) => formatPValue(Number(p)),
  },
  {
    key: "rose",
    header: "RESULT",
    value: ({ rose }) => (rose ? "rose" : "within chance"),
    style: ({ rose }) => (rose ? "bad" : "muted"),
  },
];

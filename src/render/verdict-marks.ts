/** The marks of verdicts, which say the same as their colors. */
import { type VerdictStatus, verdictStatuses } from "../contract/verdict.ts";
import type { Style } from "./style.ts";

const verdictMarks: Readonly<Record<VerdictStatus, { readonly mark: string; readonly style: Style }>> = {
  worse: { mark: "✗", style: "bad" },
  mixed: { mark: "✗", style: "bad" },
  failed: { mark: "✗", style: "bad" },
  better: { mark: "✓", style: "good" },
  passed: { mark: "✓", style: "good" },
  unclear: { mark: "=", style: "strong" },
  inconclusive: { mark: "?", style: "strong" },
};

/** The marks of rows of a scorecard that are neither worse nor better. */
const rowMarks: Readonly<Record<string, string>> = { "ruled out": "=", unclear: "?", "not comparable": "-" };

/** The mark of a row: its direction if it is worse or better. Its color says which. */
export const getRowMark = (status: string, isIncrease: boolean): string =>
  rowMarks[status] ?? (isIncrease ? "▲" : "▼");

/** The mark of a verdict, also of a status that this version does not know. */
export const getMark = (status: string | undefined) =>
  verdictMarks[verdictStatuses.find((known) => known === status) ?? "unclear"];

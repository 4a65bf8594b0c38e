/** A scorecard at a terminal: the answer, the rows that matter, and on request all rows with their statistics. */
import {
  answerScorecard,
  countRedundant,
  describeAnswer,
  describeChange,
  describeOutcomes,
  describeScope,
  formatRange,
  formatSides,
  type ScorecardView,
  selectShown,
} from "../../charts/scorecard.ts";
import { changeKinds } from "../../contract/builds.ts";
import type { RowStatus } from "../../scorecard/rows.ts";
import type { TitledRow } from "../../scorecard/titled-rows.ts";
import { formatPValue } from "../../shared/p-value.ts";
import { type AlignedCell, alignCells } from "../aligned.ts";
import { formatCount } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { paintParagraph, renderParagraph } from "../paragraph.ts";
import type { Style } from "../style.ts";
import { markRow } from "../tables/scorecard.ts";
import { cleanLine } from "../text.ts";
import { getMark } from "../verdict-marks.ts";

/** Without `all`, the answer has at most this many rows. */
const MAX_ROWS = 10;

export interface ScorecardDetail {
  /** All rows instead of those that matter, and how the API names the changes of friction. */
  readonly all: boolean;
  /** Ranges, p-values and methods. */
  readonly stats: boolean;
}

/** The view, ending in a line feed. `next` is the command to run next; null for none. */
export function scorecardView(
  view: ScorecardView,
  { all, stats }: ScorecardDetail,
  next: string | null,
  options: RenderOptions,
): string {
  const { mark, style } = getMark(answerScorecard(view));
  const matching = all ? view.rows : selectShown(view);
  const shown = all ? matching : matching.slice(0, MAX_ROWS);
  const paragraph = (text: string) => renderParagraph(text, "  ", options);
  const arrowless = (text: string) => cleanLine(options.plain ? text.replaceAll(" → ", " to ") : text);
  const rest = [
    ...describeOutcomes(view),
    ...(all ? describeKinds(view) : describeRest(view, shown.length, matching.length)),
  ].map(arrowless);
  const lines = [
    ...paintParagraph(`${options.plain ? "" : `${mark} `}${describeAnswer(view)}`, style, options),
    ...paragraph(arrowless(describeScope(view))),
    "",
    ...renderRows(shown, { all, stats }, options),
    ...(shown.length > 0 ? [""] : []),
    ...(rest.length > 0 ? paragraph(rest.join(" · ")) : []),
    ...view.notes.flatMap((note) => paragraph(cleanLine(note))),
    ...(stats ? paintParagraph(METHODS, "muted", options, "  ") : []),
    ...(next === null ? [] : paintParagraph(next, "muted", options, "  ")),
  ];
  return `${lines.join("\n")}\n`;
}

const METHODS =
  "Ranges and corrected p-values (p) hold for all rows of a family together: friction; quits; ratings; crashes. " +
  "They come from random divisions of the testers (single-step min-p, Westfall and Young), and of new rooms from exact binomial tests. " +
  "Friction and crashes are compared in equally long play.";

/** The number of rows that are not shown. `matching` is the number of those that matter. */
function describeRest(view: ScorecardView, shown: number, matching: number): string[] {
  const redundant = shown === view.rows.length ? 0 : countRedundant(view);
  const rest = view.rows.length - shown - redundant;
  const what = shown === matching ? " without a clear change" : "";
  return rest === 0 ? [] : [`${formatCount(rest, "more row")}${what} (--all)`];
}

/** The number of changes of each kind, in one text. */
function describeKinds({ rows }: ScorecardView): string[] {
  const counts = changeKinds.map((kind) => [kind, rows.filter((row) => row.kind === kind).length] as const);
  if (counts.every(([, count]) => count === 0)) return [];
  return [`friction: ${counts.map(([kind, count]) => `${count} ${formatKind(kind)}`).join(", ")}`];
}

const formatKind = (kind: string | null) => kind?.replaceAll("_", " ") ?? "";

/** Changes are marked by their direction, and colored by whether they are worse. */
const styles: Readonly<Record<RowStatus, Style | null>> = {
  worse: "bad",
  better: "good",
  "ruled out": "muted",
  unclear: null,
  "not comparable": "muted",
};

/** The mark of a row without color: whether it is worse or better. Its change says the direction. */
const markResult = (row: TitledRow): string =>
  row.status === "worse" || row.status === "better" ? getMark(row.status).mark : markRow(row);

/** One line for each row. The title, and then the kind, is left out rather than the tag. */
export function renderRows(
  rows: readonly TitledRow[],
  { all, stats }: ScorecardDetail,
  options: RenderOptions,
): string[] {
  const { plain, color } = options;
  const cells = rows.map((row): AlignedCell[] => {
    const style = styles[row.status];
    return [
      { text: plain ? row.status : color === 0 ? markResult(row) : markRow(row), style },
      { text: row.title, style, isOptional: true },
      { text: formatSides(row, plain ? "to" : "→"), align: "right" },
      { text: describeChange(row) },
      ...(stats
        ? [
            { text: formatRange(row) ?? "-", align: "right" as const },
            { text: row.adjustedPValue === null ? "-" : `p ${formatPValue(row.adjustedPValue)}` },
          ]
        : []),
      ...(all ? [{ text: formatKind(row.kind), isOptional: true }] : []),
      { text: row.id },
    ];
  });
  return alignCells(cells, "  ", options);
}

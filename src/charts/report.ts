/** The data of a report. Each part is available, or has the reason why it is not. */
import type { Heatmap } from "../contract/heatmaps.ts";
import type { RowEvidence } from "../contract/scorecard.ts";
import type { Suggestion } from "../contract/suggestions.ts";
import type { GateVerdict } from "../gate/verdict.ts";
import { isWatched } from "../scorecard/titled-rows.ts";
import { sum } from "../statistics/averages.ts";
import type { EventChange } from "./event-changes.ts";
import { buildDensityView } from "./heatmap.ts";
import type { HeatmapView } from "./heatmap-view.ts";
import type { ScorecardView } from "./scorecard.ts";

/** A part of the report. If its request failed, `why` is the error and `hint` what to do, in one sentence each. */
export type ReportPart<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string; readonly hint: string };

/** Maximum number of rows whose sessions are shown. */
export const MAX_SHOWN_ROWS = 8;

/** Text that a player wrote. */
export interface ReportQuote {
  readonly text: string;
  /** The label of the form field. */
  readonly question: string;
  /** Sessions with the same text. */
  readonly sessionIds: readonly string[];
}

export interface ReportQuotes {
  readonly quotes: readonly ReportQuote[];
  /** The submissions of build b that were read: all, the newest, or those of sessions of the evidence. */
  readonly from: "all" | "newest" | "evidence";
}

export interface ReportSuggestions {
  readonly suggestions: readonly Suggestion[];
  /** Who wrote them, in a sentence. */
  readonly author: string;
}

export interface ReportData {
  readonly game: { readonly name: string; readonly slug: string };
  readonly environment: string;
  /** The address of the console, without a slash at its end; empty in the console, and null if the service has none. */
  readonly consoleUrl: string | null;
  /** Unix ms. */
  readonly generatedAt: number;
  readonly verdict: GateVerdict;
  readonly scorecard: ScorecardView;
  /** Sessions of build b behind rows that are worse or may be. */
  readonly found: ReportPart<readonly RowEvidence[]>;
  readonly quotes: ReportPart<ReportQuotes>;
  readonly suggested: ReportPart<ReportSuggestions>;
  readonly heatmap: ReportPart<HeatmapView>;
  /** The room of build b that is worst, with its deaths and quits; null if no room got worse, or has no positions. */
  readonly worstRoom: HeatmapView | null;
  readonly events: ReportPart<readonly EventChange[]>;
}

/** The report as JSON. The rows of the scorecard are in the checks of the verdict. */
export const describeReport = ({ scorecard: { notes }, consoleUrl: _, ...data }: ReportData) => ({
  ...data,
  notes,
});

/** The room of the first row that is worse or may be, of those that the heatmap has. */
export function viewWorstRoom(
  { rows }: Pick<ScorecardView, "rows">,
  heatmap: Heatmap,
  about: string,
): HeatmapView | null {
  const names = rows.filter((row) => row.status === "worse" || isWatched(row)).map(({ room }) => room);
  const name = names.find((candidate) => heatmap.rooms.some(({ room }) => room === candidate));
  if (name === undefined || name === null) return null;
  const marks = heatmap.marks?.map((kind) => {
    const rooms = kind.rooms.filter(({ room }) => room === name);
    const total = sum(rooms.flatMap(({ points }) => points.map(({ count }) => count)));
    return { ...kind, rooms, total, withoutPosition: 0 };
  });
  const rooms = heatmap.rooms.filter(({ room }) => room === name);
  return buildDensityView({ ...heatmap, rooms, ...(marks && { marks }) }, about);
}

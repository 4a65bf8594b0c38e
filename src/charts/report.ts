/** The data of a report. Each part is available, or has the reason why it is not. */
import type { RowEvidence } from "../contract/scorecard.ts";
import type { Suggestion } from "../contract/suggestions.ts";
import type { GateVerdict } from "../gate/verdict.ts";
import type { EventChange } from "./event-changes.ts";
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
  /** Unix ms. */
  readonly generatedAt: number;
  readonly verdict: GateVerdict;
  readonly scorecard: ScorecardView;
  /** Sessions of build b behind rows that are worse or may be. */
  readonly found: ReportPart<readonly RowEvidence[]>;
  readonly quotes: ReportPart<ReportQuotes>;
  readonly suggested: ReportPart<ReportSuggestions>;
  readonly heatmap: ReportPart<HeatmapView>;
  readonly events: ReportPart<readonly EventChange[]>;
}

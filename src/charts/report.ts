/** The data of a report. Each part is available, or has the reason why it is not. */
import type { BuildRollup } from "../contract/builds.ts";
import type { Suggestion } from "../contract/suggestions.ts";
import type { GateVerdict } from "../gate/verdict.ts";
import type { EventChange } from "./event-changes.ts";
import type { HeatmapView } from "./heatmap-view.ts";
import type { ScorecardView } from "./scorecard.ts";
import type { SessionToWatch } from "./sessions-to-watch.ts";

/** A part of the report. If its request failed, `why` is the error and `hint` what to do, in one sentence each. */
export type ReportPart<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string; readonly hint: string };

/** Insights of build b with the same title. */
export interface ReportFinding {
  readonly title: string;
  /** Newest first. */
  readonly sessionIds: readonly string[];
}

/** Maximum number of different titles in the findings of a tag. */
export const MAX_TITLES_PER_TAG = 3;

/** The insights of build b with one tag. */
export interface TagFindings {
  readonly tag: string;
  /** From the newest sessions, one for each title. */
  readonly findings: readonly ReportFinding[];
  /** Number of insights with this tag among all that were read. */
  readonly count: number;
}

/** Text that a player wrote. */
export interface ReportQuote {
  readonly text: string;
  /** The label of the form field. */
  readonly question: string;
  /** Sessions with the same text. */
  readonly sessionIds: readonly string[];
}

export interface ReportSuggestions {
  readonly suggestions: readonly Suggestion[];
  /** Who wrote them, in a sentence. */
  readonly author: string;
}

/** The insights of build b's sessions. */
export interface BuildFindings {
  readonly tags: readonly TagFindings[];
  readonly watch: readonly SessionToWatch[];
  /** Whether there are more sessions or insights than were read. */
  readonly isCut: boolean;
}

export interface ReportData {
  readonly game: { readonly name: string; readonly slug: string };
  readonly environment: string;
  /** Unix ms. */
  readonly generatedAt: number;
  readonly verdict: GateVerdict;
  readonly scorecard: ScorecardView;
  readonly found: ReportPart<BuildFindings>;
  /** From the sessions worth watching. */
  readonly quotes: ReportPart<readonly ReportQuote[]>;
  readonly suggested: ReportPart<ReportSuggestions>;
  readonly heatmap: ReportPart<HeatmapView>;
  /** For all environments, because the service reports play time only by build. */
  readonly builds: ReportPart<{ readonly a: BuildRollup; readonly b: BuildRollup }>;
  readonly events: ReportPart<readonly EventChange[]>;
}

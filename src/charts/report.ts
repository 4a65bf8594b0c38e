/** What a build report tells, as data: each part is there, or why it is not. */
import type { BuildRollup } from "../contract/builds.ts";
import type { Suggestion } from "../contract/suggestions.ts";
import type { GateVerdict } from "../gate/verdict.ts";
import type { EventChange } from "./event-changes.ts";
import type { FrictionView } from "./friction.ts";
import type { HeatmapView } from "./heatmap-view.ts";
import type { SessionToWatch } from "./sessions-to-watch.ts";

/** A part of the report; where its request failed, what failed and what to do, a sentence each. */
export type ReportPart<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string; readonly hint: string };

/** Findings of the analysis in b that read the same. */
export interface ReportFinding {
  readonly title: string;
  /** The newest first. */
  readonly sessionIds: readonly string[];
}

/** What was found of one tag. */
export interface TagFindings {
  readonly tag: string;
  /** Those of the newest sessions, each title once. */
  readonly findings: readonly ReportFinding[];
  /** How many findings there are in all that was read. */
  readonly count: number;
}

/** What a player wrote. */
export interface ReportQuote {
  readonly text: string;
  /** What was asked. */
  readonly question: string;
  /** Those who wrote the same. */
  readonly sessionIds: readonly string[];
}

export interface ReportSuggestions {
  readonly suggestions: readonly Suggestion[];
  /** Whether the model made them, or rules. */
  readonly byModel: boolean;
}

/** What was found in b's sessions. */
export interface BuildFindings {
  readonly tags: readonly TagFindings[];
  readonly watch: readonly SessionToWatch[];
  /** True where there is more than was read. */
  readonly isCut: boolean;
}

export interface ReportData {
  readonly game: { readonly name: string; readonly slug: string };
  readonly environment: string;
  /** Unix ms. */
  readonly generatedAt: number;
  readonly verdict: GateVerdict;
  readonly friction: FrictionView;
  readonly found: ReportPart<BuildFindings>;
  /** Of the sessions worth watching. */
  readonly quotes: ReportPart<readonly ReportQuote[]>;
  readonly suggested: ReportPart<ReportSuggestions>;
  readonly heatmap: ReportPart<HeatmapView>;
  /** Over every environment, as the service tells it. */
  readonly builds: ReportPart<{ readonly a: BuildRollup; readonly b: BuildRollup }>;
  readonly events: ReportPart<readonly EventChange[]>;
}

/** What the gate judges: two builds, and the rows of their scorecard. */
import type { Stats } from "../contract/result-fields.ts";
import type { GroupFacts } from "../scorecard/facts.ts";
import type { Scorecard } from "../scorecard/scorecard.ts";
import type { TitledRow } from "../scorecard/titled-rows.ts";
import type { GateRules } from "./config.ts";
import type { LimitFinding } from "./verdict.ts";

export interface GateBuild {
  readonly version: string;
  readonly testers: number;
  /** Sessions that have ended, and those that are analyzed; null if they are not known. */
  readonly ended: number | null;
  readonly analyzed: number | null;
  /** What each tester did, for the limits; null if it was not read. */
  readonly facts: GroupFacts | null;
  /** Statistics of all environments combined, for the limits without facts; null if they were not read. */
  readonly stats: Pick<Stats, "engagementRate" | "medianActiveSec"> | null;
}

export interface GateInput {
  readonly game: string;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
  readonly rows: readonly TitledRow[];
  /** Null if the service does not report what each tester did, so that the rows are not tested. */
  readonly scorecard: Scorecard | null;
  /** What limits the comparison, one sentence each. */
  readonly notes: readonly string[];
  readonly config: GateRules;
  /** Unix ms; decides which exceptions have expired. */
  readonly now: number;
  /** The significance level of this run among repeated ones; by default 1 - confidence. */
  readonly level?: number;
  /** What scripted runs of b showed; absent if people played it. */
  readonly scripted?: ScriptedRuns;
}

/** Scripted runs of build b, each of which counts as a tester. */
export interface ScriptedRuns {
  /** What each run must do. It decides with any number of runs. */
  readonly findings: readonly LimitFinding[];
  /** Whether b is compared with anything. */
  readonly hasBaseline: boolean;
}

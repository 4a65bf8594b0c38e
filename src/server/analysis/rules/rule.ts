/** Analysis rules: each is a pure function from a recorded session to the findings its data supports. */

import type { RecordedSession, SessionFinding } from "../recorded-session.ts";
import type { SessionPlay } from "../session-play.ts";

/** A finding plus the index of its first evidence event, which determines the order of findings. */
export interface DraftFinding extends SessionFinding {
  readonly at: number;
  /** Index of the event at which the finding had shown; absent if it is not about one moment. */
  readonly shown?: number | undefined;
}

export type AnalysisRule = (session: RecordedSession, play: SessionPlay) => readonly DraftFinding[];

/** Clamps a strength to the range 0 to 1 and rounds it to two decimals. */
export function roundConfidence(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
}

/**
 * A strength that grows with a count: `min` at the threshold, halfway to `max` at twice the threshold, and always
 * below `max`, because each further occurrence adds less evidence. It is not a probability. docs/rules.md calls it
 * strength and lists `min` and `max` for each rule.
 */
export function growingConfidence(count: number, threshold: number, min: number, max: number): number {
  return roundConfidence(max - (max - min) * (threshold / Math.max(count, threshold)));
}

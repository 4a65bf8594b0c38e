/** What every rule is: a pure function from a session to the findings it can prove from the events. */
import type { RecordedSession, SessionFinding } from "../recorded-session.ts";
import type { ActivityByRoom } from "./rooms.ts";

/** A finding with the position of its first evidence event, by which findings are ordered. */
export interface DraftFinding extends SessionFinding {
  readonly at: number;
}

export type AnalysisRule = (play: RecordedSession, byRoom: ActivityByRoom) => readonly DraftFinding[];

/** Two decimals between 0 and 1. */
export function roundConfidence(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
}

/**
 * A confidence that grows with a count: `least` at the threshold, halfway to `most` at twice the threshold,
 * and never quite `most`, for counting more of the same proves ever less.
 */
export function growingConfidence(count: number, threshold: number, least: number, most: number): number {
  return roundConfidence(most - (most - least) * (threshold / Math.max(count, threshold)));
}

/**
 * When a session that got new data is analyzed. Everybody who plays a game can send data to its sessions, so what this costs
 * is bounded: data that arrives after an analysis waits for a quiet minute, and after some analyses for an operator.
 */
import { MINUTE_MS } from "../../shared/time-units.ts";
import type { SessionRow } from "../db/schema.ts";

/** A session gets the status `failed` after this many failed attempts. An operator can try it again. */
export const MAX_ATTEMPTS = 5;
/** How often the analysis of an ended session runs for new data without an operator: once, and ten times for what comes late. */
export const MAX_RUNS = 11;
/** How long a session must have been quiet before it is analyzed again, ms. */
export const QUIET_MS = MINUTE_MS;

type Queued = Pick<SessionRow, "status" | "analysis_attempts" | "analysis_runs" | "analysis_version">;
/** The columns of a session that queue its analysis. */
export type QueuedState = Partial<Pick<SessionRow, "status" | "analysis_due" | "analysis_error">>;

/** Whether only an operator starts another analysis. The last attempt may still be running, and does not see what is new. */
export const hasFailedPermanently = ({
  status,
  analysis_attempts,
}: Pick<Queued, "status" | "analysis_attempts">): boolean =>
  status === "failed" && analysis_attempts >= MAX_ATTEMPTS;

/** Queues a session that is not played any more and got new data. `endsNow` is whether this data ends it. */
export function queueNewData(session: Queued, now: number, endsNow = false): QueuedState {
  const { analysis_attempts: attempts, analysis_runs: runs, analysis_version: version } = session;
  if (hasFailedPermanently(session)) return {};
  if (runs >= MAX_RUNS) {
    const analysis_error = `More data arrived after ${MAX_RUNS} analyses. \`playtest admin sessions retry\` analyzes it.`;
    return { status: "failed", analysis_due: null, analysis_error };
  }
  const isFirst = attempts === 0 && runs === 0 && (endsNow || version === null);
  return { status: "pending", analysis_due: isFirst ? now : now + QUIET_MS };
}

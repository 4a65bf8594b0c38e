/** Play time statistics over sessions, for the rollups of builds and testers. */
import type { Stats } from "../../contract/stats.ts";
import { median, sum } from "../../statistics/averages.ts";

/** The durations of one session, ms. */
export interface PlayTime {
  readonly wall_ms: number;
  readonly active_ms: number;
}

/** Computes totals, means and medians in seconds, and the engagement rate (0 if there is no wall time). */
export function computeStats(sessions: readonly PlayTime[]): Stats {
  const wall = sessions.map((session) => session.wall_ms);
  const active = sessions.map((session) => session.active_ms);
  return toStats({
    sessions: sessions.length,
    wallMs: sum(wall),
    activeMs: sum(active),
    medianWallMs: median(wall),
    medianActiveMs: median(active),
  });
}

/** Sums and medians of durations, in ms. */
export interface PlayTimeTotals {
  readonly sessions: number;
  readonly wallMs: number;
  readonly activeMs: number;
  readonly medianWallMs: number;
  readonly medianActiveMs: number;
}

/** Computes the same statistics from totals. */
export function toStats({ sessions, wallMs, activeMs, medianWallMs, medianActiveMs }: PlayTimeTotals): Stats {
  return {
    totalWallSec: Math.round(wallMs / 1000),
    totalActiveSec: Math.round(activeMs / 1000),
    avgWallSec: divide(wallMs, sessions) / 1000,
    avgActiveSec: divide(activeMs, sessions) / 1000,
    medianWallSec: medianWallMs / 1000,
    medianActiveSec: medianActiveMs / 1000,
    engagementRate: wallMs > 0 ? Math.min(1, activeMs / wallMs) : 0,
  };
}

const divide = (total: number, count: number) => (count === 0 ? 0 : total / count);

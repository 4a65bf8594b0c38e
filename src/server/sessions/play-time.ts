/** Play time statistics over sessions, for the rollups of builds and testers. */
import type { Stats } from "../../contract/stats.ts";

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
    avgWallSec: mean(wallMs, sessions) / 1000,
    avgActiveSec: mean(activeMs, sessions) / 1000,
    medianWallSec: medianWallMs / 1000,
    medianActiveSec: medianActiveMs / 1000,
    engagementRate: wallMs > 0 ? Math.min(1, activeMs / wallMs) : 0,
  };
}

export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (total: number, count: number) => (count === 0 ? 0 : total / count);

/** The median: the middle value, or the mean of the two middle values; 0 for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** Play time over sessions: the Stats object of build and tester rollups, and sums of it that no session can break. */
import type { Stats } from "../../contract/stats.ts";

/** The durations of one session, ms. */
export interface PlayTime {
  readonly wall_ms: number;
  readonly active_ms: number;
}

/** Totals, means and medians in seconds, and the active share of the wall time (0 without any). */
export function computeStats(sessions: readonly PlayTime[]): Stats {
  const wall = sessions.map((session) => session.wall_ms);
  const active = sessions.map((session) => session.active_ms);
  const [wallMs, activeMs] = [sum(wall), sum(active)];
  return {
    totalWallSec: Math.round(wallMs / 1000),
    totalActiveSec: Math.round(activeMs / 1000),
    avgWallSec: mean(wallMs, wall.length) / 1000,
    avgActiveSec: mean(activeMs, active.length) / 1000,
    medianWallSec: median(wall) / 1000,
    medianActiveSec: median(active) / 1000,
    engagementRate: wallMs > 0 ? Math.min(1, activeMs / wallMs) : 0,
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (total: number, count: number) => (count === 0 ? 0 : total / count);

/** The middle value, or the mean of the two in the middle; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** Sums of play time in SQL that cannot overflow. */
import { type Expression, expressionBuilder } from "kysely";
import type { Stats } from "../../contract/result-fields.ts";
import { median, sum } from "../../statistics/averages.ts";

/**
 * The sum of a column of ms, to be read with toSafeMs. It is computed in doubles, because a driver throws on an integer
 * beyond the safe range. Such a sum loses precision instead.
 */
export function sumMs(column: Expression<number>) {
  const eb = expressionBuilder<Record<string, never>>();
  return eb.fn.sum<number>(eb.cast<number>(column, "double precision"));
}

/** Rounds a sum of ms and limits it to the safe integers. */
export const toSafeMs = (sum: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.round(Number(sum)));

/** The durations of one session, ms. */
interface PlayTime {
  readonly wall_ms: number;
  readonly active_ms: number;
}

/** Computes totals, means and medians in seconds, and the engagement rate (0 if there is no wall time). */
export function computeStats(sessions: readonly PlayTime[]): Stats {
  const wall = sessions.map((session) => session.wall_ms);
  const active = sessions.map((session) => session.active_ms);
  const [wallMs, activeMs] = [sum(wall), sum(active)];
  return {
    totalWallSec: Math.round(wallMs / 1000),
    totalActiveSec: Math.round(activeMs / 1000),
    avgWallSec: divide(wallMs, wall.length) / 1000,
    avgActiveSec: divide(activeMs, active.length) / 1000,
    medianWallSec: median(wall) / 1000,
    medianActiveSec: median(active) / 1000,
    engagementRate: wallMs > 0 ? Math.min(1, activeMs / wallMs) : 0,
  };
}

const divide = (total: number, count: number) => (count === 0 ? 0 : total / count);

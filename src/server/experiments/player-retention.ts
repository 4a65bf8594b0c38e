/**
 * Retention: which players return within the 24 hours that start a given number of days after their first exposed
 * session.
 */
import { DAY_MS } from "../../shared/time-units.ts";
import { wilsonInterval } from "../../statistics/intervals.ts";
import type { RateContribution } from "../../statistics/rates.ts";

const RETENTION_DAYS = [1, 2, 7] as const;

/** The first exposure of one device and the start of each of its sessions in the game, in unix ms. */
export interface DeviceSessionTimes {
  readonly firstAt: number;
  readonly playedAt: readonly number[];
}

/**
 * The contribution of each eligible player to the retention of a day. A player is eligible once the window of that day
 * has ended.
 */
export function retentionShares(
  players: readonly DeviceSessionTimes[],
  day: number,
  now: number,
): RateContribution[] {
  return players.flatMap(({ firstAt, playedAt }) => {
    const [opens, closes] = [firstAt + day * DAY_MS, firstAt + (day + 1) * DAY_MS];
    if (now < closes) return [];
    const retained = playedAt.some((at) => at >= opens && at < closes);
    return [{ part: retained ? 1 : 0, whole: 1 }];
  });
}

/** The retention of each day in the format of the API. The rate is 0 if no player is eligible. */
export function computeRetention(players: readonly DeviceSessionTimes[], now: number) {
  return RETENTION_DAYS.map((day) => {
    const shares = retentionShares(players, day, now);
    const eligible = shares.length;
    const retained = shares.reduce((sum, { part }) => sum + part, 0);
    const rate = eligible > 0 ? retained / eligible : 0;
    return { day, eligible, retained, rate, interval: wilsonInterval(retained, eligible) };
  });
}

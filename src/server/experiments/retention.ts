/** Retention: who came back in the 24 hours that begin whole days after their first exposed session. */
import { DAY_MS } from "../../shared/time-units.ts";
import { type RateContribution, wilsonInterval } from "./statistics.ts";

export const RETENTION_DAYS = [1, 2, 7] as const;

/** When one device was first exposed, and when each session of it in the game was, unix ms. */
export interface DeviceSessionTimes {
  readonly firstAt: number;
  readonly playedAt: readonly number[];
}

/** What each eligible player adds to the retention of a day: a player is eligible once the day's window has closed. */
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

/** The retention of each day as the API gives it; a rate of 0 where nobody is eligible. */
export function computeRetention(players: readonly DeviceSessionTimes[], now: number) {
  return RETENTION_DAYS.map((day) => {
    const shares = retentionShares(players, day, now);
    const eligible = shares.length;
    const retained = shares.reduce((sum, { part }) => sum + part, 0);
    const rate = eligible > 0 ? retained / eligible : 0;
    return { day, eligible, retained, rate, interval: wilsonInterval(retained, eligible) };
  });
}

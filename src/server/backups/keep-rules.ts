/** Decides which backups are kept: the newest one of each of the last days and weeks that have one. */
import { DAY_MS } from "../../shared/time-units.ts";

export interface KeepRules {
  /** The number of UTC days of which the newest backup is kept. */
  readonly daily: number;
  /** The number of weeks, which begin on Monday. */
  readonly weekly: number;
}

interface Dated {
  /** ISO 8601. */
  readonly createdAt: string;
}

const getDay = ({ createdAt }: Dated) => Math.floor(Date.parse(createdAt) / DAY_MS);
/** Unix time began on a Thursday. */
const getWeek = (backup: Dated) => Math.floor((getDay(backup) + 3) / 7);

/** The backups to remove. `backups` are in the order newest first; the first one is always kept. */
export function selectExpired<T extends Dated>(backups: readonly T[], { daily, weekly }: KeepRules): T[] {
  const kept = new Set<T>([
    ...backups.slice(0, 1),
    ...takeNewest(backups, getDay, daily),
    ...takeNewest(backups, getWeek, weekly),
  ]);
  return backups.filter((backup) => !kept.has(backup));
}

/** The newest backup of each of the first `count` periods. */
function takeNewest<T extends Dated>(
  backups: readonly T[],
  getPeriod: (backup: T) => number,
  count: number,
): T[] {
  const newest = new Map<number, T>();
  for (const backup of backups) if (!newest.has(getPeriod(backup))) newest.set(getPeriod(backup), backup);
  return [...newest.values()].slice(0, count);
}

/** The order of builds, which docs/decisions/033-order-of-builds.md explains. */
import { UNKNOWN_BUILD } from "./fields.ts";

/** The times that decide the position of a build. */
export interface BuildTime {
  readonly version: string;
  /** False if no session of the build has a correct clock. Such a build comes before all others. */
  readonly hasReliableTime: boolean;
  /** Median of the session times, unix ms. Without a reliable time, the median of `recordedAt`. */
  readonly at: number;
  /** The last of those times, unix ms. It breaks ties. */
  readonly lastAt: number;
}

/**
 * The minimum number of testers of a build that is compared without being named: `previous` is the build before with as many.
 * The gate has its own minimum, with this default.
 */
export const MIN_COMPARED_TESTERS = 5;

/** How far the clock of a device or of the service may be ahead and still count as correct, ms. A day covers a wrong time zone. */
export const MAX_CLOCK_LEAD_MS = 86_400_000;

/**
 * Sorts builds from oldest to newest, after the sessions without a version. Ties are broken by the last session, then by
 * version.
 */
export function compareBuildTimes(a: BuildTime, b: BuildTime): number {
  return (
    Number(isKnownBuild(a)) - Number(isKnownBuild(b)) ||
    Number(a.hasReliableTime) - Number(b.hasReliableTime) ||
    comparePlayTimes(a, b)
  );
}

/** Whether it is a build, and not the sessions without a version. */
export const isKnownBuild = ({ version }: Pick<BuildTime, "version">): boolean => version !== UNKNOWN_BUILD;

/** Compares two builds by their times only. */
export function comparePlayTimes(a: BuildTime, b: BuildTime): number {
  return a.at - b.at || a.lastAt - b.lastAt || (a.version < b.version ? -1 : Number(a.version > b.version));
}

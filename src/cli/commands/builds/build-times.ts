/** When builds were played: what their order rests on. Pure; docs/decisions/033-order-of-builds.md says why. */
import { UNKNOWN_BUILD } from "../../../contract/fields.ts";
import type { Session } from "../../../contract/sessions.ts";

/** Where a build stands in the order of builds. */
export interface BuildTime {
  readonly version: string;
  /** False for a build without a session that counts: it comes before every build that has one. */
  readonly hasReliableTime: boolean;
  /** Median of its sessions' times, unix ms; of a build without a session that counts, of their recordedAt. */
  readonly at: number;
  /** The last of those times, which decides between builds of the same median. */
  readonly lastAt: number;
}

/** What of a session decides the order of builds. */
export interface TimedSession extends Pick<Session, "id" | "recordedAt" | "receivedAt" | "clockCorrected"> {
  readonly metadata: { readonly gameVersion: string };
}

/**
 * The time that a session counts with, unix ms; null for one that does not count, because its device's clock was wrong.
 * A service that does not send receivedAt does not correct clocks either: of its sessions those in the future are ignored.
 */
function playedAt(session: TimedSession, now: number): number | null {
  const { recordedAt, receivedAt, clockCorrected } = session;
  if (clockCorrected) return null;
  if (receivedAt !== null && receivedAt !== undefined) return Math.min(recordedAt, receivedAt);
  return recordedAt > now ? null : recordedAt;
}

/** The times of the builds that sessions were played on, by version. A session that is given twice counts once. */
export function timesByBuild(sessions: readonly TimedSession[], now: number): Map<string, BuildTime> {
  const byBuild = new Map<string, TimedSession[]>();
  for (const session of new Map(sessions.map((one) => [one.id, one])).values()) {
    const { gameVersion } = session.metadata;
    const own = byBuild.get(gameVersion);
    if (own) own.push(session);
    else byBuild.set(gameVersion, [session]);
  }
  return new Map(
    [...byBuild].map(([version, own]) => {
      const counted = own.flatMap((session) => playedAt(session, now) ?? []);
      const counts = counted.length > 0;
      const times = counts ? counted : own.map(({ recordedAt }) => recordedAt);
      const lastAt = times.reduce((a, b) => Math.max(a, b));
      return [version, { version, hasReliableTime: counts, at: median(times), lastAt }];
    }),
  );
}

/** The middle one of some times, or halfway between the two in the middle. */
function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[sorted.length / 2 - 1] ?? 0)) / 2;
}

/** Orders builds, the newest last; ties by their last session, then by version. */
export function compareBuildTimes(a: BuildTime, b: BuildTime): number {
  return Number(a.hasReliableTime) - Number(b.hasReliableTime) || compareTimes(a, b);
}

function compareTimes(a: BuildTime, b: BuildTime): number {
  return a.at - b.at || a.lastAt - b.lastAt || (a.version < b.version ? -1 : Number(a.version > b.version));
}

/**
 * The last of some builds, or of those played before another; null where there is none. Sessions without a version are
 * skipped: they are recordings and chat threads, not a build to judge or to compare with.
 */
export function findLastBuild(builds: Iterable<BuildTime>, before: BuildTime | null): BuildTime | null {
  const fitting = [...builds].filter(
    (build) => build.version !== UNKNOWN_BUILD && (before === null || compareTimes(build, before) < 0),
  );
  return fitting.sort(compareBuildTimes).at(-1) ?? null;
}

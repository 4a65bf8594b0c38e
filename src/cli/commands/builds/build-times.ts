/** Orders builds by the times of their sessions. docs/decisions/033-order-of-builds.md explains the rules. */
import { UNKNOWN_BUILD } from "../../../contract/fields.ts";
import type { Session } from "../../../contract/sessions.ts";
import { DAY_MS } from "../../../shared/time-units.ts";

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

/** The fields of a session that decide the order of builds. */
export interface TimedSession extends Pick<Session, "id" | "recordedAt" | "receivedAt" | "clockCorrected"> {
  readonly metadata: { readonly gameVersion: string };
}

/** How far the clock of a device or of the service may be ahead and still count as correct, ms. A day covers a wrong time zone. */
export const MAX_CLOCK_LEAD_MS = DAY_MS;

/**
 * The time of a session, unix ms; null if its device's clock was wrong. A service that does not send `receivedAt` does
 * not correct clocks either, so its sessions in the future are ignored. A time of receipt in the future means that the
 * service's own clock was wrong.
 */
function getReliableTime(session: TimedSession, now: number): number | null {
  const { recordedAt, receivedAt, clockCorrected } = session;
  if (clockCorrected) return null;
  if (receivedAt === null || receivedAt === undefined) return recordedAt > now ? null : recordedAt;
  const at = Math.min(recordedAt, receivedAt);
  return at > now + MAX_CLOCK_LEAD_MS ? null : at;
}

/** The times of all builds in the sessions, by version. Duplicate sessions count once. */
export function timesByBuild(sessions: readonly TimedSession[], now: number): Map<string, BuildTime> {
  const byBuild = new Map<string, TimedSession[]>();
  for (const session of new Map(sessions.map((session) => [session.id, session])).values()) {
    const { gameVersion } = session.metadata;
    const known = byBuild.get(gameVersion);
    if (known) known.push(session);
    else byBuild.set(gameVersion, [session]);
  }
  return new Map(
    [...byBuild].map(([version, buildSessions]) => {
      const reliable = buildSessions.flatMap((session) => getReliableTime(session, now) ?? []);
      const hasReliableTime = reliable.length > 0;
      const times = hasReliableTime ? reliable : buildSessions.map(({ recordedAt }) => recordedAt);
      const lastAt = times.reduce((a, b) => Math.max(a, b));
      return [version, { version, hasReliableTime, at: median(times), lastAt }];
    }),
  );
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[sorted.length / 2 - 1] ?? 0)) / 2;
}

/**
 * Sorts builds from oldest to newest, after the sessions without a version. Ties are broken by the last session, then by
 * version.
 */
export function compareBuildTimes(a: BuildTime, b: BuildTime): number {
  return (
    Number(isKnown(a)) - Number(isKnown(b)) ||
    Number(a.hasReliableTime) - Number(b.hasReliableTime) ||
    compareTimes(a, b)
  );
}

const isKnown = ({ version }: BuildTime) => version !== UNKNOWN_BUILD;

function compareTimes(a: BuildTime, b: BuildTime): number {
  return a.at - b.at || a.lastAt - b.lastAt || (a.version < b.version ? -1 : Number(a.version > b.version));
}

/**
 * The last build, or the last one before another build; null if there is none. Skips sessions without a version, which
 * are recordings and chat threads and not a build to compare.
 */
export function findLastBuild(builds: Iterable<BuildTime>, before: BuildTime | null): BuildTime | null {
  const candidates = [...builds].filter(
    (build) => isKnown(build) && (before === null || compareTimes(build, before) < 0),
  );
  return candidates.sort(compareBuildTimes).at(-1) ?? null;
}

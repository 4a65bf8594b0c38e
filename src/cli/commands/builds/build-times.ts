/** Orders builds by the times of their sessions. docs/decisions/033-order-of-builds.md explains the rules. */
import {
  type BuildTime,
  compareBuildTimes,
  comparePlayTimes,
  isKnownBuild,
  MAX_CLOCK_LEAD_MS,
} from "../../../contract/build-order.ts";
import type { Session } from "../../../contract/sessions.ts";

/** The fields of a session that decide the order of builds. */
export interface TimedSession extends Pick<Session, "id" | "recordedAt" | "receivedAt" | "clockCorrected"> {
  readonly metadata: { readonly gameVersion: string };
}

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
 * The last build, or the last one before another build; null if there is none. Skips sessions without a version, which
 * are recordings and chat threads and not a build to compare.
 */
export function findLastBuild(builds: Iterable<BuildTime>, before: BuildTime | null): BuildTime | null {
  const candidates = [...builds].filter(
    (build) => isKnownBuild(build) && (before === null || comparePlayTimes(build, before) < 0),
  );
  return candidates.sort(compareBuildTimes).at(-1) ?? null;
}

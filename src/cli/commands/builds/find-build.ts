/** Finds the latest build of a game, or the build before another one, from its sessions: the API has no list of builds. */
import type { Client } from "../../../client/client.ts";
import {
  type BuildTime,
  compareBuildTimes,
  comparePlayTimes,
  isKnownBuild,
  MAX_CLOCK_LEAD_MS,
  MIN_COMPARED_TESTERS,
} from "../../../contract/build-order.ts";
import type { Input } from "../../../contract/define.ts";
import { DEFAULT_ENV, MAX_PAGE_SIZE } from "../../../contract/fields.ts";
import type { listSessions, Session } from "../../../contract/sessions.ts";
import { median } from "../../../statistics/averages.ts";

type SessionClient = Client<{ listSessions: typeof listSessions }>;

export interface PlayedBuild extends BuildTime {
  /** Testers in the sessions that were read. A session without a device counts as its own tester. */
  readonly testerCount: number;
}

export interface BuildScope {
  readonly game: string;
  /** Environment slug or `all` (default: production). */
  readonly env: string | undefined;
  /** Unix ms. */
  readonly now: number;
  /** The minimum number of testers of `previous` (default: MIN_COMPARED_TESTERS). */
  readonly minTesters?: number;
  /** Receives a note if `previous` is not the build right before. */
  readonly notify?: (note: string) => Promise<void>;
}

/** If an environment has more sessions than this, only some of them are read (each page of 100 is one request). */
const MAX_SESSIONS_READ = 1000;

/** The environment as a list filter; undefined for all. */
export const toEnvFilter = ({ env = DEFAULT_ENV }: Pick<BuildScope, "env">): string | undefined =>
  env === "all" ? undefined : env;

async function readPage(client: SessionClient, scope: BuildScope, query: Input<typeof listSessions>) {
  return await client.listSessions({
    game: scope.game,
    env: toEnvFilter(scope),
    limit: MAX_PAGE_SIZE,
    ...query,
  });
}

/** The latest build; null in an environment without sessions. */
export async function findLatest(client: SessionClient, scope: BuildScope): Promise<PlayedBuild | null> {
  const known = await readAllBuilds(client, scope);
  return known === null
    ? await searchNewestSessions(client, scope, null)
    : findLastBuild(known.values(), null);
}

/** The times of one build; null if it has no sessions in the environment. */
export async function findBuild(
  client: SessionClient,
  scope: BuildScope,
  version: string,
): Promise<PlayedBuild | null> {
  const { items, total } = await readPage(client, scope, { build: version });
  // The middle page of a long list contains the median, because the list is sorted by time.
  const offset = Math.floor((total - MAX_PAGE_SIZE) / 2);
  const sessions =
    total > MAX_PAGE_SIZE ? (await readPage(client, scope, { build: version, offset })).items : items;
  return timesByBuild(sessions, scope.now).get(version) ?? null;
}

/** The builds before another one, the last one first, up to the first with enough testers. */
export async function findEarlier(
  client: SessionClient,
  scope: BuildScope,
  build: BuildTime,
): Promise<PlayedBuild[]> {
  const known = await readAllBuilds(client, scope);
  const search = async (after: BuildTime) =>
    known === null
      ? ((await searchNewestSessions(client, scope, after)) ??
        (await searchBeforeFirstSession(client, scope, after)))
      : findLastBuild(known.values(), after);
  const { minTesters = MIN_COMPARED_TESTERS } = scope;
  const earlier: PlayedBuild[] = [];
  for (let after = known?.get(build.version) ?? build; earlier.length < MAX_SEARCHES; ) {
    const found = await search(after);
    if (found === null) break;
    earlier.push(found);
    if (found.testerCount >= minTesters) break;
    after = found;
  }
  return earlier;
}

/** Builds with too few testers that are passed over. Each takes up to ten requests in an environment with many sessions. */
const MAX_SEARCHES = 20;

/** The builds of all sessions; null if there are too many sessions to read. */
async function readAllBuilds(
  client: SessionClient,
  scope: BuildScope,
): Promise<Map<string, PlayedBuild> | null> {
  const sessions: Session[] = [];
  for (;;) {
    const { items, total } = await readPage(client, scope, { offset: sessions.length });
    if (total > MAX_SESSIONS_READ) return null;
    sessions.push(...items);
    if (items.length === 0 || sessions.length >= total) return timesByBuild(sessions, scope.now);
  }
}

/**
 * Searches the newest sessions page by page. Sessions that were not read yet are older than those that were, so the
 * search ends when the best build found is newer than all of them.
 */
async function searchNewestSessions(
  client: SessionClient,
  scope: BuildScope,
  before: BuildTime | null,
  to = Math.min(before?.at ?? scope.now, scope.now) + MAX_CLOCK_LEAD_MS,
): Promise<PlayedBuild | null> {
  const known = new Map<string, PlayedBuild>();
  for (let offset = 0; offset < MAX_SESSIONS_READ; offset += MAX_PAGE_SIZE) {
    const { items, hasMore } = await readPage(client, scope, { to: Math.floor(to), offset });
    for (const { metadata, recordedAt } of items) {
      const { gameVersion } = metadata;
      const isDecided = decidedUntil(findLastBuild(known.values(), before)) >= recordedAt;
      if (isDecided || known.has(gameVersion) || gameVersion === before?.version) continue;
      const build = await findBuild(client, scope, gameVersion);
      if (build) known.set(gameVersion, build);
    }
    const best = findLastBuild(known.values(), before);
    const unread = items.at(-1)?.recordedAt ?? Number.NEGATIVE_INFINITY;
    if (!hasMore || decidedUntil(best) >= unread) return best;
  }
  return findLastBuild(known.values(), before);
}

/** Unix ms up to which no session can change the result; -Infinity while the best build has no reliable time. */
function decidedUntil(best: BuildTime | null): number {
  return best?.hasReliableTime ? best.at : Number.NEGATIVE_INFINITY;
}

/** Searches before the first session of a build, for builds that fill all pages that searchNewestSessions reads. */
async function searchBeforeFirstSession(
  client: SessionClient,
  scope: BuildScope,
  build: BuildTime,
): Promise<PlayedBuild | null> {
  const { total } = await readPage(client, scope, { build: build.version, limit: 1 });
  const offset = Math.max(0, total - 1);
  const { items } = await readPage(client, scope, { build: build.version, limit: 1, offset });
  const first = items[0]?.recordedAt ?? 0;
  return first > 0 ? await searchNewestSessions(client, scope, build, first - 1) : null;
}

/** The fields of a session that decide the order of builds. */
export interface TimedSession
  extends Pick<Session, "id" | "recordedAt" | "receivedAt" | "clockCorrected" | "deviceId"> {
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
export function timesByBuild(sessions: readonly TimedSession[], now: number): Map<string, PlayedBuild> {
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
      const testerCount = new Set(buildSessions.map(({ id, deviceId }) => deviceId ?? `session ${id}`)).size;
      return [version, { version, hasReliableTime, at: median(times), lastAt, testerCount }];
    }),
  );
}

/**
 * The last build, or the last one before another build; null if there is none. Skips sessions without a version, which
 * are recordings and chat threads and not a build to compare.
 */
function findLastBuild(builds: Iterable<PlayedBuild>, before: BuildTime | null): PlayedBuild | null {
  const candidates = [...builds].filter(
    (build) => isKnownBuild(build) && (before === null || comparePlayTimes(build, before) < 0),
  );
  return candidates.sort(compareBuildTimes).at(-1) ?? null;
}

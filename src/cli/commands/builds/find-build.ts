/** Finds the latest build of a game, or the build before another one, from its sessions: the API has no list of builds. */
import type { Client } from "../../../client/client.ts";
import { type BuildTime, MAX_CLOCK_LEAD_MS } from "../../../contract/build-order.ts";
import { DEFAULT_ENV, MAX_PAGE_SIZE } from "../../../contract/fields.ts";
import type { listSessions, Session } from "../../../contract/sessions.ts";
import { findLastBuild, timesByBuild } from "./build-times.ts";

export type SessionClient = Client<{ listSessions: typeof listSessions }>;

/** The game and environment to search. */
export interface BuildScope {
  readonly game: string;
  /** Environment slug or `all` (default: production). */
  readonly env: string | undefined;
  /** Unix ms. */
  readonly now: number;
}

/** If an environment has more sessions than this, only some of them are read (each page of 100 is one request). */
const MAX_SESSIONS_READ = 1000;

/** The environment as a list filter; undefined for all. */
export const toEnvFilter = ({ env = DEFAULT_ENV }: Pick<BuildScope, "env">): string | undefined =>
  env === "all" ? undefined : env;

interface SessionPageQuery {
  readonly build?: string;
  readonly to?: number;
  readonly limit?: number;
  readonly offset?: number;
}

async function readPage(client: SessionClient, scope: BuildScope, query: SessionPageQuery) {
  return await client.listSessions({
    game: scope.game,
    env: toEnvFilter(scope),
    limit: MAX_PAGE_SIZE,
    ...query,
  });
}

/** The latest build; null in an environment without sessions. */
export async function findLatest(client: SessionClient, scope: BuildScope): Promise<BuildTime | null> {
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
): Promise<BuildTime | null> {
  const { items, total } = await readPage(client, scope, { build: version });
  // The middle page of a long list contains the median, because the list is sorted by time.
  const offset = Math.floor((total - MAX_PAGE_SIZE) / 2);
  const sessions =
    total > MAX_PAGE_SIZE ? (await readPage(client, scope, { build: version, offset })).items : items;
  return timesByBuild(sessions, scope.now).get(version) ?? null;
}

/** The build before another one; null if there is none. */
export async function findPrevious(
  client: SessionClient,
  scope: BuildScope,
  build: BuildTime,
): Promise<BuildTime | null> {
  const known = await readAllBuilds(client, scope);
  const after = known?.get(build.version) ?? build;
  if (known !== null) return findLastBuild(known.values(), after);
  return (
    (await searchNewestSessions(client, scope, after)) ??
    (await searchBeforeFirstSession(client, scope, after))
  );
}

/** The builds of all sessions; null if there are too many sessions to read. */
async function readAllBuilds(
  client: SessionClient,
  scope: BuildScope,
): Promise<Map<string, BuildTime> | null> {
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
): Promise<BuildTime | null> {
  const known = new Map<string, BuildTime>();
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
): Promise<BuildTime | null> {
  const { total } = await readPage(client, scope, { build: build.version, limit: 1 });
  const offset = Math.max(0, total - 1);
  const { items } = await readPage(client, scope, { build: build.version, limit: 1, offset });
  const first = items[0]?.recordedAt ?? 0;
  return first > 0 ? await searchNewestSessions(client, scope, build, first - 1) : null;
}

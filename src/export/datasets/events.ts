/** events: how often each event happened, a row a bucket of time, build, environment and name. */
import { type Bucket, bucketAt, type Span } from "../../shared/calendar.ts";
import { int64, string, timestamp } from "../column.ts";
import type { Reader } from "../reader.ts";
import { dataset, environmentsOf, inOrder, type Part, type Scope } from "./dataset.ts";
import { extentOf, pagesOf } from "./lists.ts";
import { sessionList } from "./sessions.ts";

interface Row {
  readonly bucketStart: number;
  readonly game: string;
  readonly build: string;
  readonly environment: string | undefined;
  readonly event: string;
  readonly count: number;
  readonly sessionCount: number;
}

export const events = dataset<Row>({
  name: "events",
  summary: "How often each event happened, by hour, day or week of its session's recordedAt",
  hasEnvironments: true,
  columns: [
    timestamp("bucketStart", "Where the hour, day or week begins", ({ bucketStart }) => bucketStart),
    string("game", "Slug of the game", ({ game }) => game),
    string("build", "Build version", ({ build }) => build),
    string("environment", "The --env it was asked for; null over all", ({ environment }) => environment),
    string("event", "Name of the event", ({ event }) => event),
    int64("count", "How often it happened", ({ count }) => count),
    int64(
      "sessionCount",
      "Sessions of the bucket, build and environment, with the event or without: the same in each of their rows",
      ({ sessionCount }) => sessionCount,
    ),
  ],
  extent: extentOf(sessionList, ({ metadata }) => metadata.gameVersion),
  requests: ({ environments }, extent) =>
    extent === null ? 0 : pagesOf(extent.items) + extent.groups * Math.max(1, environments.length),
  parts: eventParts,
});

async function* eventParts(reader: Reader, scope: Scope): AsyncGenerator<Part<Row>> {
  const { span, by } = scope;
  if (span === null) return;
  const builds = await buildsByBucket(reader, scope, span);
  for (const start of [...builds.keys()].sort((a, b) => a - b)) {
    const bucket = bucketAt(start, by, span);
    const versions = [...(builds.get(start) ?? [])].sort(inOrder);
    yield { bucket, rows: rowsOf(reader, scope, bucket, versions) };
  }
}

/** The builds of each bucket that has sessions: the API lists no builds, so its sessions are gone through. */
async function buildsByBucket(
  reader: Reader,
  { game, by }: Scope,
  span: Span,
): Promise<Map<number, Set<string>>> {
  const found = new Map<number, Set<string>>();
  const pages = reader.pages({
    ...span,
    fetchPage: (range) => sessionList.fetch(reader, { game: game.id, ...range }),
    timeOf: sessionList.timeOf,
  });
  for await (const sessions of pages) {
    for (const { recordedAt, metadata } of sessions) {
      const { start } = bucketAt(recordedAt, by, span);
      const builds = found.get(start) ?? new Set();
      found.set(start, builds.add(metadata.gameVersion));
    }
  }
  return found;
}

async function* rowsOf(
  reader: Reader,
  scope: Scope,
  { start, from, to }: Bucket,
  builds: readonly string[],
): AsyncGenerator<readonly Row[]> {
  const { game } = scope;
  for (const build of builds) {
    for (const environment of environmentsOf(scope)) {
      const env = environment === undefined ? {} : { env: environment };
      const { byName, sessionCount } = await reader.ask(() =>
        reader.client.getEvents({ game: game.id, build, from, to, ...env }),
      );
      const counts = Object.entries(byName).sort(([a], [b]) => inOrder(a, b));
      yield counts.map(([event, count]) => ({
        bucketStart: start,
        game: game.slug,
        build,
        environment,
        event,
        count,
        sessionCount,
      }));
    }
  }
}

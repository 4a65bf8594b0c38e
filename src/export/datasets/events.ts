/** events: event counts, with one row per bucket, build, environment and event name. */
import { type Bucket, bucketAt, type TimeSpan } from "../../shared/calendar.ts";
import { int64, string, timestamp } from "../column.ts";
import type { ExportReader } from "../reader.ts";
import {
  compareCodeUnits,
  defineDataset,
  type ExportPart,
  type ExportScope,
  toEnvironmentFilters,
} from "./dataset.ts";
import { countPages, createCounter, createExtentReader } from "./lists.ts";
import { sessionList } from "./sessions.ts";

interface EventExportRow {
  readonly bucketStart: number;
  readonly game: string;
  readonly build: string;
  readonly environment: string | undefined;
  readonly event: string;
  readonly count: number;
  readonly sessionCount: number;
}

export const events = defineDataset<EventExportRow>({
  name: "events",
  summary: "Number of events by name and build, per hour, day or week of the session's recordedAt",
  hasEnvironments: true,
  columns: [
    timestamp("bucketStart", "Start of the hour, day or week", ({ bucketStart }) => bucketStart),
    string("game", "Slug of the game", ({ game }) => game),
    string("build", "Build version", ({ build }) => build),
    string("environment", "Environment from --env; null for all combined", ({ environment }) => environment),
    string("event", "Name of the event", ({ event }) => event),
    int64("count", "Number of events", ({ count }) => count),
    int64(
      "sessionCount",
      "Number of all sessions of the bucket, build and environment, including those without the event",
      ({ sessionCount }) => sessionCount,
    ),
  ],
  extent: createExtentReader(sessionList, ({ metadata }) => metadata.gameVersion),
  counter: createCounter(sessionList, "session"),
  requests: ({ environments }, extent) =>
    extent === null ? 0 : countPages(extent.items) + extent.groups * Math.max(1, environments.length),
  parts: eventParts,
});

async function* eventParts(
  reader: ExportReader,
  scope: ExportScope,
): AsyncGenerator<ExportPart<EventExportRow>> {
  const { span, by } = scope;
  if (span === null) return;
  const builds = await findBuildsByBucket(reader, scope, span);
  for (const start of [...builds.keys()].sort((a, b) => a - b)) {
    const bucket = bucketAt(start, by, span);
    const versions = [...(builds.get(start) ?? [])].sort(compareCodeUnits);
    yield { bucket, rows: readRows(reader, scope, bucket, versions) };
  }
}

/** The builds of each bucket with sessions. Reads all sessions, because the API has no list of builds. */
async function findBuildsByBucket(
  reader: ExportReader,
  { game, by }: ExportScope,
  span: TimeSpan,
): Promise<Map<number, Set<string>>> {
  const buildsByStart = new Map<number, Set<string>>();
  const pages = reader.pages({
    ...span,
    fetchPage: (range) => sessionList.fetch(reader, { game: game.id, ...range }),
    getTime: sessionList.getTime,
  });
  for await (const sessions of pages) {
    for (const { recordedAt, metadata } of sessions) {
      const { start } = bucketAt(recordedAt, by, span);
      const builds = buildsByStart.get(start) ?? new Set();
      buildsByStart.set(start, builds.add(metadata.gameVersion));
    }
  }
  return buildsByStart;
}

async function* readRows(
  reader: ExportReader,
  scope: ExportScope,
  { start, from, to }: Bucket,
  builds: readonly string[],
): AsyncGenerator<readonly EventExportRow[]> {
  const { game } = scope;
  for (const build of builds) {
    for (const environment of toEnvironmentFilters(scope)) {
      const env = environment === undefined ? {} : { env: environment };
      const { byName, sessionCount } = await reader.send(() =>
        reader.client.getEvents({ game: game.id, build, from, to, ...env }),
      );
      const counts = Object.entries(byName).sort(([a], [b]) => compareCodeUnits(a, b));
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

/** events: event counts, with one row per bucket, build, environment and event name. */
import { type Bucket, bucketAt, type TimeSpan } from "../../shared/calendar.ts";
import { int64, string, timestamp } from "../column.ts";
import type { ExportReader } from "../reader.ts";
import { ALL_TIME } from "../time-ranges.ts";
import { compareCodeUnits, defineDataset, type ExportPart, type ExportScope } from "./dataset.ts";
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
  partitionTime: async () => "recordedAt",
  columns: [
    timestamp("bucketStart", "Start of the hour, day or week", ({ bucketStart }) => bucketStart),
    string("game", "Slug of the game", ({ game }) => game),
    string("build", "Build version", ({ build }) => build),
    string("environment", "Environment of the sessions", ({ environment }) => environment),
    string("event", "Name of the event", ({ event }) => event),
    int64("count", "Number of events", ({ count }) => count),
    int64(
      "sessionCount",
      "Number of all sessions of the bucket, build and environment, including those without the event",
      ({ sessionCount }) => sessionCount,
    ),
  ],
  extent: createExtentReader(sessionList, ({ metadata, environment }) =>
    JSON.stringify([metadata.gameVersion, environment]),
  ),
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
  if (scope.partitions !== undefined) {
    for (const start of scope.partitions) {
      const bucket = bucketAt(start, by, ALL_TIME);
      const groups = await findGroupsByBucket(reader, scope, bucket);
      yield { bucket, rows: readRows(reader, scope, bucket, sortBuilds(groups.get(start))) };
    }
    return;
  }
  const groups = await findGroupsByBucket(reader, scope, span);
  for (const start of [...groups.keys()].sort((a, b) => a - b)) {
    const bucket = bucketAt(start, by, span);
    yield { bucket, rows: readRows(reader, scope, bucket, sortBuilds(groups.get(start))) };
  }
}

/** The builds of a bucket, each with its environments; undefined for a service that does not report them. */
type EnvironmentsByBuild = Map<string, Set<string | undefined>>;

const sortBuilds = (builds: EnvironmentsByBuild = new Map()) =>
  [...builds].sort(([a], [b]) => compareCodeUnits(a, b));

/** The builds and environments of each bucket with sessions. Reads all sessions, because the API has no such list. */
async function findGroupsByBucket(
  reader: ExportReader,
  { game, by }: ExportScope,
  span: TimeSpan,
): Promise<Map<number, EnvironmentsByBuild>> {
  const byStart = new Map<number, EnvironmentsByBuild>();
  const pages = reader.pages({
    ...span,
    fetchPage: (range) => sessionList.fetch(reader, { game: game.id, ...range }),
    getTime: sessionList.getTime,
  });
  for await (const sessions of pages) {
    for (const { recordedAt, metadata, environment } of sessions) {
      const { start } = bucketAt(recordedAt, by, span);
      const builds: EnvironmentsByBuild = byStart.get(start) ?? new Map();
      const environments = builds.get(metadata.gameVersion) ?? new Set();
      builds.set(metadata.gameVersion, environments.add(environment ?? undefined));
      byStart.set(start, builds);
    }
  }
  return byStart;
}

/** The environments to request for a build, one after the other; undefined for all of them combined. */
function selectEnvironments(
  { environments: selected }: ExportScope,
  found: ReadonlySet<string | undefined>,
): readonly (string | undefined)[] {
  if (selected.length > 0) return selected;
  return found.has(undefined) ? [undefined] : [...found].sort((a = "", b = "") => compareCodeUnits(a, b));
}

async function* readRows(
  reader: ExportReader,
  scope: ExportScope,
  { start, from, to }: Bucket,
  builds: readonly (readonly [build: string, environments: ReadonlySet<string | undefined>])[],
): AsyncGenerator<readonly EventExportRow[]> {
  const { game } = scope;
  for (const [build, found] of builds) {
    for (const environment of selectEnvironments(scope, found)) {
      const env = environment === undefined ? {} : { env: environment };
      const { byName, sessionCount } = await reader.send(() =>
        reader.client.getEvents({ game: game.id, build, from, to, ...env }),
      );
      const counts = Object.entries(byName).sort(([a], [b]) => compareCodeUnits(a, b));
      yield counts.map(([event, count]) => ({
        ...{ bucketStart: start, game: game.slug, build, environment, event, count, sessionCount },
      }));
    }
  }
}

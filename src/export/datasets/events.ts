/** events: event counts, with one row per bucket, build, environment and event name. */
import { EVENT_COUNT_PAGE_MS } from "../../contract/events.ts";
import { type Bucket, type BucketWidth, bucketAt, type TimeSpan } from "../../shared/calendar.ts";
import { int64, string, timestamp } from "../column.ts";
import type { ExportReader } from "../reader.ts";
import { ALL_TIME } from "../state.ts";
import {
  compareCodeUnits,
  type DatasetExtent,
  defineDataset,
  type ExportPart,
  type ExportScope,
  yieldOnce,
} from "./dataset.ts";
import { createCounter, createExtentReader } from "./list-extent.ts";
import { countPages, sessionList } from "./lists.ts";

export const events = defineDataset<EventExportRow>({
  name: "events",
  help: "number of events by name and build, per hour, day or week",
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
  extent: readExtent,
  counter: createCounter(sessionList, "session"),
  requests: ({ environments }, extent) =>
    extent === null ? 0 : countPages(extent.items) + extent.groups * Math.max(1, environments.length),
  parts: eventParts,
});

const readSessionExtent = createExtentReader(sessionList, ({ metadata, environment }) =>
  JSON.stringify([metadata.gameVersion, environment]),
);

/** If the service counts by period and build, no sessions need to be read. */
async function readExtent(
  reader: ExportReader,
  game: ExportScope["game"],
  span: Partial<TimeSpan>,
  by: BucketWidth,
): Promise<DatasetExtent | null> {
  const extent = await readSessionExtent(reader, game, span, by);
  if (extent === null) return null;
  const to = extent.oldest;
  const counts = await reader.sendOptional(() =>
    reader.client.listEventCounts({ game: game.id, by, from: to, to }),
  );
  if (counts === null) return extent;
  const pages = Math.ceil(Math.max(1, (span.to ?? to) - to) / EVENT_COUNT_PAGE_MS[by]);
  return { ...extent, items: 0, groups: Math.min(extent.buckets, pages) };
}

async function* eventParts(
  reader: ExportReader,
  scope: ExportScope,
): AsyncGenerator<ExportPart<EventExportRow>> {
  const { span, by, partitions } = scope;
  if (partitions !== undefined) return yield* readPartitions(reader, scope, partitions);
  for (let from = span?.from ?? null; span !== null && from !== null; ) {
    const page = await readCountPage(reader, scope, { from, to: span.to });
    if (page === null) return yield* eventPartsByBuild(reader, scope, { ...span, from });
    for (const [start, rows] of page.rows) yield { bucket: bucketAt(start, by, span), rows: yieldOnce(rows) };
    from = page.next;
  }
}

/** The buckets that start at these times, which may have no rows. Those that fit into a page of counts are read together. */
async function* readPartitions(
  reader: ExportReader,
  scope: ExportScope,
  starts: readonly number[],
): AsyncGenerator<ExportPart<EventExportRow>> {
  const [first] = starts;
  if (first === undefined) return;
  const { by } = scope;
  const buckets = starts
    .map((start) => bucketAt(start, by, ALL_TIME))
    .filter(({ end }, index) => index === 0 || end <= first + EVENT_COUNT_PAGE_MS[by]);
  const rows = await readCounts(reader, scope, { from: first, to: (buckets.at(-1)?.end ?? first) - 1 });
  for (const bucket of buckets) {
    if (rows === null) yield await readBucketByBuild(reader, scope, bucket);
    else yield { bucket, rows: yieldOnce(rows.get(bucket.start) ?? []) };
  }
  yield* readPartitions(reader, scope, starts.slice(buckets.length));
}

/** The counts of a time range by the start of the bucket; null if the service does not offer them. */
async function readCounts(
  reader: ExportReader,
  scope: ExportScope,
  { from, to }: TimeSpan,
): Promise<Map<number, EventExportRow[]> | null> {
  const rows = new Map<number, EventExportRow[]>();
  for (let next: number | null = from; next !== null && next <= to; ) {
    const page = await readCountPage(reader, scope, { from: next, to });
    if (page === null) return null;
    for (const [start, found] of page.rows) rows.set(start, found);
    next = page.next;
  }
  return rows;
}

/** Reads a page of counts by period; null if the service does not offer them. */
async function readCountPage(
  reader: ExportReader,
  { game, by, environments }: ExportScope,
  range: TimeSpan,
): Promise<{ rows: [start: number, rows: EventExportRow[]][]; next: number | null } | null> {
  const [env, ...others] = environments;
  const query = { game: game.id, by, ...range, env: others.length === 0 ? env : undefined };
  const page = await reader.sendOptional(() => reader.client.listEventCounts(query));
  if (page === null) return null;
  const rowsByStart = new Map<number, EventExportRow[]>();
  for (const { start, build, environment, sessionCount, byName } of page.items) {
    if (environments.length > 0 && !environments.includes(environment)) continue;
    const rows = rowsByStart.get(start) ?? [];
    rowsByStart.set(start, rows);
    rows.push(...toRows({ start, game: game.slug, build, environment, sessionCount }, byName));
  }
  return { rows: [...rowsByStart], next: page.next ?? null };
}

interface EventExportRow {
  readonly bucketStart: number;
  readonly game: string;
  readonly build: string;
  readonly environment: string | undefined;
  readonly event: string;
  readonly count: number;
  readonly sessionCount: number;
}

/** The rows of one period, build and environment, by name. */
function toRows(
  { start, ...common }: Omit<EventExportRow, "bucketStart" | "event" | "count"> & { readonly start: number },
  byName: Readonly<Record<string, number>>,
): EventExportRow[] {
  const names = Object.entries(byName).sort(([a], [b]) => compareCodeUnits(a, b));
  return names.map(([event, count]) => ({ bucketStart: start, ...common, event, count }));
}

/** Reads the counts of each period, build and environment with a separate request. */
async function* eventPartsByBuild(
  reader: ExportReader,
  scope: ExportScope,
  span: TimeSpan,
): AsyncGenerator<ExportPart<EventExportRow>> {
  const groups = await findGroupsByBucket(reader, scope, span);
  for (const start of [...groups.keys()].sort((a, b) => a - b)) {
    const bucket = bucketAt(start, scope.by, span);
    yield { bucket, rows: readRows(reader, scope, bucket, sortBuilds(groups.get(start))) };
  }
}

/** One hour, day or week, which may have no rows. */
async function readBucketByBuild(
  reader: ExportReader,
  scope: ExportScope,
  bucket: Bucket,
): Promise<ExportPart<EventExportRow>> {
  const groups = await findGroupsByBucket(reader, scope, bucket);
  return { bucket, rows: readRows(reader, scope, bucket, sortBuilds(groups.get(bucket.start))) };
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
      yield toRows({ start, game: game.slug, build, environment, sessionCount }, byName);
    }
  }
}

/** events: event counts, with one row per bucket, build, environment and event name. */
import { EVENT_COUNT_PAGE_MS, type EventCounts } from "../../contract/event-counts.ts";
import { type Bucket, type BucketWidth, bucketAt, type TimeSpan } from "../../shared/calendar.ts";
import { int64, string, timestamp } from "../column.ts";
import type { ExportReader } from "../reader.ts";
import {
  compareCodeUnits,
  type DatasetExtent,
  defineDataset,
  type ExportPart,
  type ExportScope,
  toEnvironmentFilters,
  yieldOnce,
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
  extent: readExtent,
  counter: createCounter(sessionList, "session"),
  requests: ({ environments }, extent) =>
    extent === null ? 0 : countPages(extent.items) + extent.groups * Math.max(1, environments.length),
  parts: eventParts,
});

const readSessionExtent = createExtentReader(sessionList, ({ metadata }) => metadata.gameVersion);

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
  const { span, by } = scope;
  if (span === null) return;
  for (let from: number | null = span.from; from !== null; ) {
    const page = await readCountPage(reader, scope, { from, to: span.to });
    if (page === null) return yield* eventPartsByBuild(reader, scope, { ...span, from });
    for (const [start, rows] of page.rows) yield { bucket: bucketAt(start, by, span), rows: yieldOnce(rows) };
    from = page.next;
  }
}

/** Reads the counts of a page for each environment, by period; null if the service does not offer them. */
async function readCountPage(
  reader: ExportReader,
  scope: ExportScope,
  range: TimeSpan,
): Promise<{ rows: [start: number, rows: EventExportRow[]][]; next: number | null } | null> {
  const { game, by } = scope;
  const found: { environment: string | undefined; counts: EventCounts }[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const environment of toEnvironmentFilters(scope)) {
    const query = { game: game.id, by, ...range, ...(environment === undefined ? {} : { env: environment }) };
    const page = await reader.sendOptional(() => reader.client.listEventCounts(query));
    if (page === null) return null;
    for (const counts of page.items) found.push({ environment, counts });
    next = Math.min(next, page.next ?? Number.POSITIVE_INFINITY);
  }
  // Stable, so the environments of a build keep their order. Pages can end at different times if sessions arrive meanwhile.
  found.sort((a, b) => a.counts.start - b.counts.start || compareCodeUnits(a.counts.build, b.counts.build));
  const rows = new Map<number, EventExportRow[]>();
  for (const { environment, counts } of found) {
    if (counts.start >= next) continue;
    const { start, build, sessionCount, byName } = counts;
    const own = rows.get(start) ?? [];
    rows.set(start, own);
    own.push(...toRows({ start, game: game.slug, build, environment, sessionCount }, byName));
  }
  return { rows: [...rows], next: Number.isFinite(next) ? next : null };
}

function toRows(
  { start, ...common }: Omit<EventExportRow, "bucketStart" | "event" | "count"> & { readonly start: number },
  byName: Readonly<Record<string, number>>,
): EventExportRow[] {
  const names = Object.entries(byName).sort(([a], [b]) => compareCodeUnits(a, b));
  return names.map(([event, count]) => ({ bucketStart: start, ...common, event, count }));
}

/** Reads the counts of each period and build with a separate request. */
async function* eventPartsByBuild(
  reader: ExportReader,
  scope: ExportScope,
  span: TimeSpan,
): AsyncGenerator<ExportPart<EventExportRow>> {
  const { by } = scope;
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
      yield toRows({ start, game: game.slug, build, environment, sessionCount }, byName);
    }
  }
}

/** events: event counts, with one row per bucket, build, environment and event name. */
import { EVENT_COUNT_PAGE_MS } from "../../contract/events.ts";
import { type BucketWidth, bucketAt, type TimeSpan } from "../../shared/calendar.ts";
import { int64, string, timestamp } from "../column.ts";
import type { ExportReader } from "../reader.ts";
import { ALL_TIME } from "../state.ts";
import {
  type DatasetExtent,
  defineDataset,
  type ExportPart,
  type ExportScope,
  yieldOnce,
} from "./dataset.ts";
import { type EventExportRow, eventPartsByBuild, readBucketByBuild, toRows } from "./events-by-build.ts";
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

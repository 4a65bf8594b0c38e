/** raw-events: one row per stored event, in the order of arrival. */
import { ARRIVAL_SETTLING_MS, type RawEvent } from "../../contract/events.ts";
import {
  type Bucket,
  type BucketWidth,
  bucketAt,
  countBuckets,
  type TimeSpan,
} from "../../shared/calendar.ts";
import { double, json, string, timestamp } from "../column.ts";
import type { ExportReader } from "../reader.ts";
import { ALL_TIME } from "../state.ts";
import { type DatasetExtent, defineDataset, type ExportPart, type ExportScope } from "./dataset.ts";

interface RawEventExportRow {
  readonly game: string;
  readonly event: RawEvent;
}

/** The number of events per page that estimates assume. */
const TYPICAL_PAGE_EVENTS = 10_000;
/** Rows that are encoded at once. A whole page at once takes more memory and more time. */
const ROWS_PER_GROUP = 1000;

export const rawEvents = defineDataset<RawEventExportRow>({
  name: "raw-events",
  help: "every stored event, with its tester, build, position and data",
  summary: "One row per stored event. Files are partitioned by receivedAt and sorted in the order of arrival",
  hasEnvironments: true,
  columns: [
    string("id", "Event id, unique within the session", ({ event }) => event.id),
    string("event", "Name of the event", ({ event }) => event.name),
    timestamp(
      "timestamp",
      "When the event happened by the clock of the device, as it was sent. A wrong clock is not corrected",
      ({ event }) => event.timestamp,
    ),
    string("sessionId", "Session of the event", ({ event }) => event.sessionId),
    string("deviceId", "Device of the session", ({ event }) => event.deviceId),
    string("testerHandle", "The tester's handle", ({ event }) => event.testerHandle),
    string("build", "Build version", ({ event }) => event.build),
    string("environment", "Environment of the session", ({ event }) => event.environment),
    string("source", "Where the session came from, such as unity-telemetry", ({ event }) => event.source),
    string("room", "Room of the data", ({ event }) => event.room),
    double("x", "Position, if the data has coordinates and a room", ({ event }) => event.x, "world units"),
    double("y", "Position, if the data has coordinates and a room", ({ event }) => event.y, "world units"),
    json("data", "All data of the event, as it was sent", ({ event }) => event.data),
    timestamp("receivedAt", "When the service received the event", ({ event }) => event.receivedAt),
    string("game", "Slug of the game", ({ game }) => game),
  ],
  settlingMs: ARRIVAL_SETTLING_MS,
  partitionTime: async () => "receivedAt",
  extent: readExtent,
  counter: null,
  requests: (_scope, extent) => (extent === null ? 0 : Math.ceil(extent.items / TYPICAL_PAGE_EVENTS)),
  parts: rawEventParts,
});

/** Estimates the size from the first event and from the number of events that were recorded in the range. */
async function readExtent(
  reader: ExportReader,
  { id: game }: ExportScope["game"],
  span: Partial<TimeSpan>,
  by: BucketWidth,
): Promise<DatasetExtent | null> {
  const { client } = reader;
  const page = await reader.send(() => client.listRawEvents({ game, ...span, limit: 1 }));
  const oldest = page.items[0]?.receivedAt;
  if (oldest === undefined && page.next === null) return null;
  const { total } = await reader.send(() => client.getEvents({ game, ...span }));
  const first = oldest ?? span.from ?? 0;
  const buckets = countBuckets({ from: first, to: Math.max(first, span.to ?? first) }, by);
  return { items: Math.max(total, page.items.length), oldest: first, buckets, groups: buckets };
}

async function* rawEventParts(
  reader: ExportReader,
  scope: ExportScope,
): AsyncGenerator<ExportPart<RawEventExportRow>> {
  const { span, by, split, game, partitions } = scope;
  if (span === null) return;
  const toRows = (events: readonly RawEvent[]) => events.map((event) => ({ game: game.slug, event }));
  if (partitions !== undefined) {
    for (const start of partitions) {
      const bucket = bucketAt(start, by, ALL_TIME);
      const time = { from: start, to: bucket.end - 1 };
      yield { bucket, rows: mapPages(readPages(reader, scope, time), toRows) };
    }
    return;
  }
  const pages = readPages(reader, scope, span);
  if (!split) return yield { bucket: null, rows: mapPages(pages, toRows) };
  const groups = new BucketGroups(pages, (event) => bucketAt(event.receivedAt, by, span));
  for (let bucket = await groups.nextBucket(); bucket !== null; bucket = await groups.nextBucket())
    yield { bucket, rows: mapPages(groups.read(bucket), toRows) };
}

async function* mapPages<T, Row>(
  pages: AsyncIterable<readonly T[]>,
  toRows: (items: readonly T[]) => Row[],
): AsyncGenerator<Row[]> {
  for await (const items of pages)
    for (let start = 0; start < items.length; start += ROWS_PER_GROUP)
      yield toRows(items.slice(start, start + ROWS_PER_GROUP));
}

/** Reads all pages of a range. While a page is being written, the next one is requested. */
async function* readPages(
  reader: ExportReader,
  { game, environments }: ExportScope,
  span: TimeSpan,
): AsyncGenerator<readonly RawEvent[]> {
  const [env, ...others] = environments;
  const query = { game: game.id, ...span, env: others.length === 0 ? env : undefined };
  const request = (cursor: string | undefined) =>
    reader.send(() => reader.client.listRawEvents({ ...query, cursor }));
  const included = new Set(environments);
  let unreadable = 0;
  let pending: ReturnType<typeof request> | null = request(undefined);
  try {
    while (pending !== null) {
      const page: Awaited<ReturnType<typeof request>> = await pending;
      unreadable += page.unreadable ?? 0;
      pending = typeof page.next === "string" ? request(page.next) : null;
      // An error is thrown when the page is awaited.
      pending?.catch(() => {});
      yield others.length === 0 ? page.items : page.items.filter((event) => included.has(event.environment));
    }
  } finally {
    await pending?.catch(() => {});
  }
  if (unreadable > 0) reader.reportUnreadable(game.slug, unreadable);
}

/** Splits a stream of pages, in the order of arrival, at the bounds of hours, days or weeks. */
class BucketGroups {
  readonly #pages: AsyncIterator<readonly RawEvent[]>;
  readonly #getBucket: (event: RawEvent) => Bucket;
  /** The rest of the current page. */
  #rest: readonly RawEvent[] = [];

  constructor(pages: AsyncIterable<readonly RawEvent[]>, getBucket: (event: RawEvent) => Bucket) {
    this.#pages = pages[Symbol.asyncIterator]();
    this.#getBucket = getBucket;
  }

  /** The bucket of the next event; null after the last one. */
  async nextBucket(): Promise<Bucket | null> {
    const [first] = await this.#peek();
    return first === undefined ? null : this.#getBucket(first);
  }

  /** Reads the events of a bucket. Read them all before the next bucket. */
  async *read({ end }: Bucket): AsyncGenerator<readonly RawEvent[]> {
    for (;;) {
      const events = await this.#peek();
      const stop = events.findIndex(({ receivedAt }) => receivedAt >= end);
      const own = stop < 0 ? events : events.slice(0, stop);
      this.#rest = stop < 0 ? [] : events.slice(stop);
      if (own.length > 0) yield own;
      if (own.length === 0 || stop >= 0) return;
    }
  }

  async #peek(): Promise<readonly RawEvent[]> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#pages.next();
      if (done) break;
      this.#rest = value;
    }
    return this.#rest;
  }
}

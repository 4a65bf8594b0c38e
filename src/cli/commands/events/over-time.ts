/** Counts events per hour, day or week, with one request for each. */
import type { EventBucket } from "../../../charts/events.ts";
import type { Client } from "../../../client/client.ts";
import type { getEvents } from "../../../contract/events.ts";
import type { Game } from "../../../contract/games.ts";
import type { listSessions } from "../../../contract/sessions.ts";
import { isoTime } from "../../../render/time.ts";
import {
  type BucketWidth,
  bucketAt,
  countBuckets,
  findBucketStart,
  listBuckets,
  type TimeSpan,
} from "../../../shared/calendar.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";

/** The maximum number of requests, which takes two minutes at the service's rate limit. */
export const MAX_BUCKETS = 120;

/** The flag that counts over longer intervals. */
const widerFlags: Readonly<Record<BucketWidth, string | null>> = {
  hour: "--by day",
  day: "--by week",
  week: null,
};

type EventsClient = Client<{ getEvents: typeof getEvents; listSessions: typeof listSessions }>;

/** The filter of a count; times in unix ms. */
export interface EventCountQuery {
  readonly game: string;
  readonly build: string | undefined;
  readonly env: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** The JSON of `events --by`. `start` and `end` are unix ms; `end` is exclusive. */
interface EventCountsOverTime {
  readonly game: Game;
  readonly by: BucketWidth;
  readonly buckets: readonly (EventBucket & { readonly end: number })[];
}

/**
 * Counts events per whole UTC hour, day or week, including those without sessions. The default range is from the first
 * session to the last. Throws `usage` if the range has too many hours, days or weeks.
 */
export async function countOverTime(
  context: Context,
  client: EventsClient,
  query: EventCountQuery,
  by: BucketWidth,
): Promise<EventCountsOverTime> {
  const pacer = context.pacer();
  const { game: gameRef, build, env } = query;
  const fetchCounts = async (range: Partial<TimeSpan>) => {
    await pacer.before();
    return await client.getEvents({ game: gameRef, build, env, ...range });
  };
  const span = await resolveSpan(context, client, query, by);
  if (span === null) return { game: (await fetchCounts({})).game, by, buckets: [] };
  const now = context.io.now();
  const count = countBuckets(span, by);
  const buckets: (EventBucket & { end: number })[] = [];
  let game: Game | null = null;
  for (const { label, start, end, from, to } of listBuckets(span, by)) {
    await context.progress(`Counting events: ${by} ${buckets.length + 1} of ${count}`);
    const { sessionCount, total, byName, ...counts } = await fetchCounts({ from, to });
    game = counts.game;
    buckets.push({ label, start, end, open: end > now, sessionCount, total, byName });
  }
  return { game: game ?? (await fetchCounts({})).game, by, buckets };
}

/** The range in whole hours, days or weeks; null without sessions. */
async function resolveSpan(
  context: Context,
  client: EventsClient,
  { game, build, env, from, to }: EventCountQuery,
  by: BucketWidth,
): Promise<TimeSpan | null> {
  // A session in the future, from a device with a wrong clock, must not move the end.
  const end = to ?? Math.max(from ?? 0, findBucketEnd(context.io.now(), by));
  const readOne = async (offset: number, start = from) =>
    await client.listSessions({ game, build, env, from: start, to: end, limit: 1, offset });
  const newest = from === undefined || to === undefined ? await readOne(0) : null;
  const [last] = newest?.items ?? [];
  if (newest && !last) return null;
  const oldest =
    newest && newest.total > 1 && from === undefined ? (await readOne(newest.total - 1)).items[0] : last;
  const span = { from: from ?? getRecordedTime(oldest), to: to ?? getRecordedTime(last) };
  const whole = { from: Math.max(0, findBucketStart(span.from, by)), to: findBucketEnd(span.to, by) };
  const count = countBuckets(whole, by);
  if (count <= MAX_BUCKETS) return whole;
  if (from !== undefined) throw tooManyBucketsError(whole, count, by);
  const bucketMs = whole.to + 1 - findBucketStart(whole.to, by);
  const wider = widerFlags[by];
  // One very old session must not fill the chart with empty time.
  const start = whole.to + 1 - MAX_BUCKETS * bucketMs;
  const { total, items } = await readOne(0, start);
  const first = total > 1 ? (await readOne(total - 1, start)).items[0] : items[0];
  const shown = { from: Math.max(start, findBucketStart(getRecordedTime(first), by)), to: whole.to };
  await context.notify(
    `Showing the last ${countBuckets(shown, by)} of ${count} ${by}s. Use --to for an earlier range${wider === null ? "" : `, or ${wider}`}.`,
  );
  return shown;
}

/** The last ms of an hour, day or week. */
const findBucketEnd = (ms: number, by: BucketWidth): number => bucketAt(ms, by, { from: ms, to: ms }).end - 1;

/** Unix ms, at least 0: the API accepts no time before 1970. */
const getRecordedTime = (session: { readonly recordedAt: number } | undefined) =>
  Math.max(0, session?.recordedAt ?? 0);

function tooManyBucketsError({ from, to }: TimeSpan, count: number, by: BucketWidth): Error {
  const wider = widerFlags[by];
  return fail("usage", {
    message: `The range from ${isoTime(from)} to ${isoTime(to + 1)} has ${count} ${by}s; the maximum is ${MAX_BUCKETS}`,
    hint: `Use a later --from or an earlier --to${wider === null ? "" : `, or ${wider}`}.`,
  });
}

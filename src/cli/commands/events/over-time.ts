/** Event counts by hour, day or week: a request for each. */

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

/** At most so many are asked for: two minutes within the service's limit of requests. */
export const MAX_BUCKETS = 120;

const DAY_MS = 24 * 60 * 60 * 1000;

type EventsClient = Client<{ getEvents: typeof getEvents; listSessions: typeof listSessions }>;

/** What is counted; the times in unix ms. */
export interface EventCountQuery {
  readonly game: string;
  readonly build: string | undefined;
  readonly env: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** What `events --by` answers as JSON; `start` and `end` in unix ms, `end` where the next one starts. */
export interface EventCountsOverTime {
  readonly game: Game;
  readonly by: BucketWidth;
  readonly buckets: readonly (EventBucket & { readonly end: number })[];
}

/**
 * The counts of whole hours, days or weeks of UTC, those without sessions too: from the first session to the last
 * unless told. Throws `usage` where the times given hold too many.
 */
export async function countOverTime(
  context: Context,
  client: EventsClient,
  counted: EventCountQuery,
  by: BucketWidth,
): Promise<EventCountsOverTime> {
  const pacer = context.pacer();
  const { game: named, build, env } = counted;
  const ask = async (range: Partial<TimeSpan>) => {
    await pacer.before();
    return await client.getEvents({ game: named, build, env, ...range });
  };
  const span = await resolveSpan(context, client, counted, by);
  if (span === null) return { game: (await ask({})).game, by, buckets: [] };
  const now = context.io.now();
  const count = countBuckets(span, by);
  const buckets: (EventBucket & { end: number })[] = [];
  let game: Game | null = null;
  for (const { label, start, end, from, to } of listBuckets(span, by)) {
    await context.progress(`Counting events: ${by} ${buckets.length + 1} of ${count}`);
    const { sessionCount, total, byName, game: found } = await ask({ from, to });
    game = found;
    buckets.push({ label, start, end, open: end > now, sessionCount, total, byName });
  }
  return { game: game ?? (await ask({})).game, by, buckets };
}

/** Whole buckets; null without sessions. */
async function resolveSpan(
  context: Context,
  client: EventsClient,
  { game, build, env, from, to }: EventCountQuery,
  by: BucketWidth,
): Promise<TimeSpan | null> {
  // Of a service that does not correct clocks, one device with a wrong one would move the end far into the future.
  const end = to ?? Math.max(from ?? 0, context.io.now() + DAY_MS);
  const at = async (offset: number) =>
    await client.listSessions({ game, build, env, from, to: end, limit: 1, offset });
  const newest = from === undefined || to === undefined ? await at(0) : null;
  const [last] = newest?.items ?? [];
  if (newest && !last) return null;
  const oldest =
    newest && newest.total > 1 && from === undefined ? (await at(newest.total - 1)).items[0] : last;
  const span = { from: from ?? recorded(oldest), to: to ?? recorded(last) };
  const whole = {
    from: Math.max(0, findBucketStart(span.from, by)),
    to: bucketAt(span.to, by, span).end - 1,
  };
  const count = countBuckets(whole, by);
  if (count <= MAX_BUCKETS) return whole;
  if (from !== undefined) throw tooMany(whole, count, by);
  const each = whole.to + 1 - findBucketStart(whole.to, by);
  await context.notify(
    `Showing the last ${MAX_BUCKETS} of ${count} ${by}s; --to names an earlier end${by === "week" ? "" : ", --by a longer stretch"}.`,
  );
  return { from: whole.to + 1 - MAX_BUCKETS * each, to: whole.to };
}

/** When a session was recorded, in unix ms: no time before 1970 can be asked for. */
const recorded = (session: { readonly recordedAt: number } | undefined) =>
  Math.max(0, session?.recordedAt ?? 0);

function tooMany({ from, to }: TimeSpan, count: number, by: BucketWidth): Error {
  const wider = { hour: "--by day", day: "--by week", week: null }[by];
  return fail("usage", {
    message: `${isoTime(from)} to ${isoTime(to + 1)} are ${count} ${by}s: a request each, and ${MAX_BUCKETS} at most`,
    hint: `Name a later --from or an earlier --to${wider === null ? "" : `, or take ${wider}`}.`,
  });
}

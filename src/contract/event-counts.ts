/** Event counts by hour, day or week, build and environment, so that a whole history takes few requests. */
import * as z from "zod";
import { type BucketWidth, bucketWidths } from "../shared/calendar.ts";
import { DAY_MS, WEEK_MS } from "../shared/time-units.ts";
import { defineRead } from "./define.ts";
import { count, gameParam, orNull, unixMs } from "./fields.ts";
import { envFilter, rangeQuery, requireOrderedRange } from "./filters.ts";

/** How much time one page covers, ms. Time without sessions between two pages is skipped. Hours are counted from single sessions. */
export const EVENT_COUNT_PAGE_MS: Readonly<Record<BucketWidth, number>> = {
  hour: 3 * DAY_MS,
  day: 92 * DAY_MS,
  week: 26 * WEEK_MS,
};

export const eventCounts = z.object({
  start: unixMs.describe("Start of the hour, day or week, unix ms"),
  build: z.string(),
  environment: z.string(),
  sessionCount: count.describe("Number of sessions that were recorded in it"),
  byName: z.record(z.string(), z.number()).describe("Number of their events by name"),
});
export type EventCounts = z.output<typeof eventCounts>;

export const listEventCounts = defineRead({
  name: "listEventCounts",
  tool: null,
  path: "/api/v1/event-counts/{game}",
  summary: "Count the events of a game by name, build, environment, and hour, day or week",
  tag: "events",
  extension: true,
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  query: requireOrderedRange(
    z.object({
      by: z.enum(bucketWidths).optional().describe("Hour, day or week, UTC (default: day)"),
      env: envFilter.optional(),
      ...rangeQuery,
    }),
  ),
  response: z.object({
    items: z
      .array(eventCounts)
      .describe(
        "Sorted by time, build and environment. May be empty although `next` is set, if no session matches `env`",
      ),
    next: orNull(unixMs).describe("`from` of the next page, unix ms; null on the last page"),
  }),
  errors: ["not_found"],
});
export type EventCountPage = z.output<typeof listEventCounts.response>;

/** Counts of events, and the stored events. */
import * as z from "zod";
import { type BucketWidth, bucketWidths } from "../shared/calendar.ts";
import { DAY_MS, WEEK_MS } from "../shared/time-units.ts";
import { defineRead } from "./define.ts";
import { count, orNull, unixMs } from "./fields.ts";
import { buildFilter, envFilter, rangeQuery, requireOrderedRange } from "./filters.ts";
import { game } from "./games.ts";
import { cursorText, eventFilter, eventPageFields } from "./session-events.ts";

export const TOP_EVENTS = 50;

export const getEvents = defineRead({
  name: "getEvents",
  tool: "get_event_counts",
  path: "/api/v1/events/{game}",
  summary: "Count the events of a game by name",
  tag: "events",
  query: requireOrderedRange(
    z.object({ build: buildFilter.optional(), env: envFilter.optional(), ...rangeQuery }),
  ),
  response: z.object({
    game,
    sessionCount: count.describe("Number of matching sessions"),
    total: count.describe("Number of events"),
    byName: z.record(z.string(), z.number()).describe("Number of events by name"),
    top: z
      .array(z.tuple([z.string(), z.number()]))
      .max(TOP_EVENTS)
      .describe("The 50 most frequent events, sorted by count, then name"),
  }),
});
export type EventAggregates = z.output<typeof getEvents.response>;

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
});
export type EventCountPage = z.output<typeof listEventCounts.response>;

export const MAX_RAW_EVENT_PAGE_SIZE = 20_000;

/** How long an event may take from its arrival until it is listed, ms: its transaction may have to wait for others. */
export const ARRIVAL_SETTLING_MS = 60_000;

export const rawEvent = z.object({
  id: z.string().describe("ID of the event, unique within the session"),
  name: z.string(),
  timestamp: unixMs.describe(
    "When the event happened by the clock of the device, as it was sent, unix ms. A wrong clock is not corrected",
  ),
  sessionId: z.string(),
  deviceId: orNull(z.string()),
  testerHandle: orNull(z.string()),
  build: z.string(),
  environment: z.string(),
  source: z.string().describe("Source of the session, such as unity-telemetry"),
  room: orNull(z.string()).describe("Room of the data; null if it has none"),
  x: orNull(z.number()).describe("Position, if the data has finite coordinates and a room; null otherwise"),
  y: orNull(z.number()),
  data: orNull(z.looseObject({})).describe("All data of the event, as it was sent"),
  receivedAt: unixMs.describe(
    "When the service received the event, by its own clock. Events of earlier versions of the service have the time of their session",
  ),
});
export type RawEvent = z.output<typeof rawEvent>;

export const listRawEvents = defineRead({
  name: "listRawEvents",
  tool: null,
  path: "/api/v1/raw-events/{game}",
  summary: "List the stored events of a game in the order of arrival",
  tag: "events",
  extension: true,
  query: requireOrderedRange(
    z.object({
      build: buildFilter.optional(),
      env: envFilter.optional(),
      event: eventFilter.optional(),
      from: z.int().min(0).optional().describe("Only what arrived at or after this time, unix ms"),
      to: z.int().min(0).optional().describe("Only what arrived at or before this time, unix ms"),
      limit: z
        .int()
        .min(1)
        .optional()
        .describe("Maximum number of events (default and maximum: 20,000). A page also ends at about 4 MB"),
      cursor: cursorText.optional(),
    }),
  ),
  response: z.object({
    ...eventPageFields(rawEvent),
    settledUntil: unixMs.describe(
      "What arrived before this time is complete. Later events can still be stored with an earlier time. To continue, set `from` to this time and ignore what arrived at or after it",
    ),
  }),
});
export type RawEventPage = z.output<typeof listRawEvents.response>;

/** The stored events of one session, as the game sent them. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, extensionField, orNull, pathText, text, unixMs } from "./fields.ts";
import { rangeQuery, requireOrderedRange } from "./filters.ts";
import { game } from "./games.ts";
import { playerName, TELEMETRY_LIMITS } from "./telemetry.ts";

export const MAX_EVENT_PAGE_SIZE = 2000;
export const DEFAULT_EVENT_PAGE_SIZE = 500;

/** How much of a session `around` shows: before the first event of the insight, and after its last one, ms. */
export const AROUND_MS = { before: 30_000, after: 5_000 } as const;

const MAX_CURSOR_LENGTH = 200;

/** A position in a list, which only the service can read. */
export const cursorText = z
  .string()
  .max(MAX_CURSOR_LENGTH)
  .regex(/^[A-Za-z0-9_-]+$/, "must be the `next` of an earlier response")
  .describe("Where to continue: `next` of an earlier response");

export const eventFilter = text(1, TELEMETRY_LIMITS.eventName).describe(
  "Exact name of the events (default: all)",
);

/** The fields of a page of events, which ends at a cursor. */
export const eventPageFields = <T extends z.ZodType>(event: T) => ({
  items: z.array(event).describe("May be empty although `next` is set, if few events match"),
  next: orNull(z.string()).describe("Cursor of the next page; null after the last event so far"),
  unreadable: extensionField(count).describe(
    "Number of events that were skipped because their stored data is damaged",
  ),
});

export const sessionEvent = z.object({
  id: z.string().describe("ID of the event, unique within the session"),
  name: z.string(),
  timestamp: unixMs.describe("When the event happened by the clock of the device, unix ms"),
  offsetMs: z.int().describe("Time since the first event of the session, ms"),
  data: orNull(z.looseObject({})).describe("Further data of the event, such as the room"),
  cited: z.boolean().describe("Whether the insight in `around` refers to the event"),
});
export type SessionEventItem = z.output<typeof sessionEvent>;

export const listSessionEvents = defineRead({
  name: "listSessionEvents",
  tool: "list_session_events",
  path: "/api/v1/sessions/{id}/events",
  summary: "List the events of a session in the order in which they arrived",
  tag: "sessions",
  extension: true,
  names: { id: "session" },
  params: z.object({ id: pathText.describe("ID of the session") }),
  query: requireOrderedRange(
    z.object({
      event: eventFilter.optional(),
      ...rangeQuery,
      around: text(1, 120)
        .optional()
        .describe(
          "ID of an insight: only events from 30 s before the first event that it refers to, up to 5 s after the last one. A player's bug report refers to the time at which it was sent",
        ),
      limit: z
        .int()
        .min(1)
        .optional()
        .describe("Maximum number of events (default: 500; capped at 2,000). Pages are also limited by size"),
      cursor: cursorText.optional(),
    }),
  ),
  extensions: {
    player: playerName.optional().describe("Only events whose `data.player` is this player of the device"),
  },
  response: z.object({
    ...eventPageFields(sessionEvent),
    pruned: extensionField(
      orNull(
        z.object({
          at: unixMs.describe("When the events were removed, unix ms"),
          events: count.describe("Number of events that were removed"),
        }),
      ),
    ).describe("Set if pruning removed the events of the session; null otherwise"),
  }),
});
export type SessionEventPage = z.output<typeof listSessionEvents.response>;

/** The maximum number of hours in one response. */
export const MAX_CHANGED_HOURS = 1000;

export const listChanges = defineRead({
  name: "listChanges",
  tool: null,
  path: "/api/v1/changes/{game}",
  summary: "List the hours whose sessions, insights or feedback changed since a cursor",
  tag: "sessions",
  extension: true,
  query: z.object({
    since: text(1, 100)
      .optional()
      .describe("`cursor` of an earlier response (default: no hours, only a cursor to start from)"),
  }),
  response: z.object({
    game,
    hours: z
      .array(unixMs)
      .describe(
        `Starts of UTC hours, unix ms; at most ${MAX_CHANGED_HOURS}. In each, sessions started or feedback arrived, of which something was added, changed or deleted. An hour may be repeated`,
      ),
    hasMore: z.boolean().describe("Whether to continue now, with `cursor`"),
    cursor: z.string().describe("The `since` of the next request"),
  }),
});

/** Event aggregates: how often each event happened. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam } from "./fields.ts";
import { buildFilter, envFilter, rangeQuery, requireOrderedRange } from "./filters.ts";
import { game } from "./games.ts";

/** The maximum length of the top list. */
export const TOP_EVENTS = 50;

export const getEvents = defineRead({
  name: "getEvents",
  tool: "get_event_counts",
  path: "/api/v1/events/{game}",
  summary: "Count the events of a game by name",
  tag: "events",
  names: { game: "game" },
  params: z.object({ game: gameParam }),
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
  errors: ["not_found"],
});
export type EventAggregates = z.output<typeof getEvents.response>;

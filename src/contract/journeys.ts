/** Journeys: all sessions of one tester in chronological order, and the engagement trend. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum, orNull, pathText } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { gameRef } from "./games.ts";
import { insight } from "./insights.ts";
import { session } from "./sessions.ts";
import { tagTitle } from "./tag-titles.ts";

export const engagementTrends = ["rising", "flat", "declining", "insufficient_data"] as const;
export type EngagementTrend = (typeof engagementTrends)[number];

const cluster = z.object({ type: z.string(), tag: z.string(), title: tagTitle, count });

export const journeyEntry = z.object({
  session,
  insights: z.array(insight),
  topFriction: z.array(cluster),
  topPraise: z.array(cluster),
});
export type JourneyEntry = z.output<typeof journeyEntry>;

export const getTesterJourney = defineRead({
  name: "getTesterJourney",
  tool: "get_tester_journey",
  path: "/api/v1/testers/{game}/{deviceId}/journey",
  summary: "Get all sessions of a tester, oldest first, with insights and the engagement trend",
  tag: "testers",
  names: { game: "game", deviceId: "tester" },
  params: z.object({ game: gameParam, deviceId: pathText.describe("Tester handle or device id") }),
  query: z.object({ env: envFilter.optional() }),
  response: z.object({
    journey: z.object({
      tester: z.object({
        handle: orNull(z.string()),
        deviceId: orNull(z.string()),
        identityLabel: z.string(),
      }),
      game: gameRef,
      totalSessions: count,
      totalActiveSec: count.describe("Active time of all sessions, in seconds"),
      engagementTrend: openEnum(engagementTrends),
      entries: z.array(journeyEntry),
      summary: z.string(),
    }),
  }),
  errors: ["not_found"],
});
export type Journey = z.output<typeof getTesterJourney.response>["journey"];

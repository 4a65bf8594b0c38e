/** One tester: the rollup, and all sessions in chronological order. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, extensionField, gameParam, openEnum, orNull, pathText, unixMs } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game, gameRef } from "./games.ts";
import { insight } from "./insights.ts";
import { stats, tagTitle } from "./result-fields.ts";
import { session } from "./sessions.ts";

export const testerRollup = z.object({
  deviceId: orNull(z.string()).describe("Null if no session of the tester has a device"),
  handle: extensionField(orNull(z.string())).describe(
    "The linked tester handle, or else the handle in the newest session that names one",
  ),
  sessionCount: count,
  firstSeen: unixMs.describe("Time of the first session, unix ms"),
  lastSeen: unixMs.describe("Time of the last session, unix ms"),
  stats,
  lastBuild: z.string().describe("Build of the last session"),
  country: orNull(z.string()).describe(
    "ISO 3166 alpha-2 code. Country, region and city are those of the newest session with a place",
  ),
  region: orNull(z.string()),
  city: orNull(z.string()),
});
export type TesterRollup = z.output<typeof testerRollup>;

export const getTester = defineRead({
  name: "getTester",
  tool: "get_tester",
  path: "/api/v1/testers/{game}/{deviceId}",
  summary: "Get the totals of a tester, all sessions and the stored summary",
  tag: "testers",
  names: { deviceId: "tester" },
  params: z.object({ game: gameParam, deviceId: pathText.describe("Tester handle or device id") }),
  query: z.object({
    env: envFilter.optional().describe("Environment of the summary, or `all` (default: production)"),
  }),
  response: z.object({
    game,
    rollup: testerRollup,
    sessions: z.array(session),
    summary: orNull(z.looseObject({ narrative: z.string(), generatedAt: unixMs })).describe(
      "Null if no summary is stored",
    ),
  }),
});

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
  names: { deviceId: "tester" },
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
});
export type Journey = z.output<typeof getTesterJourney.response>["journey"];

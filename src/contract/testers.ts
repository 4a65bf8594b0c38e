/** Testers: the totals and sessions of one tester. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, extensionField, gameParam, orNull, pathText, unixMs } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { session } from "./sessions.ts";
import { stats } from "./stats.ts";

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
  names: { game: "game", deviceId: "tester" },
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
  errors: ["not_found"],
});

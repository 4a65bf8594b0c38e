/** Testers: the totals and sessions of one device. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, orNull, pathText, unixMs } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { session } from "./sessions.ts";
import { stats } from "./stats.ts";

export const testerRollup = z.object({
  deviceId: z.string(),
  sessionCount: count,
  firstSeen: unixMs.describe("Time of the first session, unix ms"),
  lastSeen: unixMs.describe("Time of the last session, unix ms"),
  stats,
  lastBuild: z.string().describe("Build of the last session"),
  country: orNull(z.string()).describe("ISO 3166 alpha-2 code"),
  region: orNull(z.string()),
  city: orNull(z.string()),
});
export type TesterRollup = z.output<typeof testerRollup>;

export const getTester = defineRead({
  name: "getTester",
  tool: "get_tester",
  path: "/api/v1/testers/{game}/{deviceId}",
  summary: "Get the totals of a device, all of its sessions and its stored summary",
  tag: "testers",
  names: { game: "game", deviceId: "device" },
  params: z.object({ game: gameParam, deviceId: pathText.describe("ID of the device") }),
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

/** Testers: the play of one device. */
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
  firstSeen: unixMs.describe("Unix ms"),
  lastSeen: unixMs.describe("Unix ms"),
  stats,
  lastBuild: z.string(),
  country: orNull(z.string()).describe("ISO 3166 alpha-2"),
  region: orNull(z.string()),
  city: orNull(z.string()),
});
export type TesterRollup = z.output<typeof testerRollup>;

export const getTester = defineRead({
  name: "getTester",
  tool: "get_tester",
  path: "/api/v1/testers/{game}/{deviceId}",
  summary: "One device's play: its totals, every session, and its summary where one is kept",
  tag: "testers",
  names: { game: "game", deviceId: "device" },
  params: z.object({ game: gameParam, deviceId: pathText.describe("Device id") }),
  query: z.object({ env: envFilter.optional().describe("Environment of the summary, default production") }),
  response: z.object({
    game,
    rollup: testerRollup,
    sessions: z.array(session),
    summary: orNull(z.looseObject({ narrative: z.string(), generatedAt: unixMs })),
  }),
  errors: ["not_found"],
});

/** Tester handles: the names testers play under, and the devices linked to them. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, orNull, unixMs } from "./fields.ts";
import { game } from "./games.ts";

/** From so many countries on, a handle's key is likely shared. */
export const SHARED_KEY_COUNTRIES = 3;

export const testerHandle = z.object({
  id: z.string().describe("pth_..."),
  handle: z.string(),
  key_id: orNull(z.string()),
  device_id: orNull(z.string()),
  claimed_at: orNull(unixMs).describe("Unix ms"),
  session_count: count,
  total_play_time_ms: count.describe("Milliseconds"),
  last_seen_at: orNull(unixMs).describe("Unix ms"),
  distinct_countries: count.describe("3 or more tell of a key that is likely shared"),
  created_at: unixMs.describe("Unix ms"),
});
export type TesterHandle = z.output<typeof testerHandle>;

export const listHandles = defineRead({
  name: "listHandles",
  tool: "list_handles",
  path: "/api/v1/handles/{game}",
  summary: "A game's tester handles, the last seen first",
  tag: "handles",
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  response: z.object({ game, handles: z.array(testerHandle) }),
  errors: ["not_found"],
});

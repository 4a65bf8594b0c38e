/** Tester handles: the names of testers, and the devices linked to them. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, orNull, unixMs } from "./fields.ts";
import { game } from "./games.ts";

/** A handle that was used in at least this many countries probably shares its key. */
export const SHARED_KEY_COUNTRIES = 3;

export const testerHandle = z.object({
  id: z.string().describe("ID of the handle (`pth_...`)"),
  handle: z.string(),
  key_id: orNull(z.string()).describe("ID of the playtest key that the tester redeemed"),
  device_id: orNull(z.string()).describe("ID of the linked device"),
  claimed_at: orNull(unixMs).describe("When the device was linked, unix ms"),
  session_count: count,
  total_play_time_ms: count.describe("Milliseconds"),
  last_seen_at: orNull(unixMs).describe("Time of the last session, unix ms"),
  distinct_countries: count.describe("3 or more suggest that testers share a key"),
  created_at: unixMs.describe("Time of creation, unix ms"),
});
export type TesterHandle = z.output<typeof testerHandle>;

export const listHandles = defineRead({
  name: "listHandles",
  tool: "list_handles",
  path: "/api/v1/handles/{game}",
  summary: "List the tester handles of a game, most recently seen first",
  tag: "handles",
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  response: z.object({ game, handles: z.array(testerHandle) }),
  errors: ["not_found"],
});

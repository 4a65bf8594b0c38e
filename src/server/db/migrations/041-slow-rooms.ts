/** The sessions that were slow in a room, which are analyzed again when its usual time changes. */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    `create index room_times_slow on room_times (game_id, environment, room, session_id) where longest_ms >= 120000;`,
  ]);

/** Reads the data for archetypes: summaries, play time and friction of a game's testers. */

import { frictionTypes } from "../../contract/insights.ts";
import { addToGroup } from "../../shared/group-by.ts";
import { readInParts } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import { sumMs, toSafeMs } from "../sessions/play-time-queries.ts";
import { selectSessions } from "../sessions/scope-queries.ts";

/** The testers with a summary in an environment (`all`: the newest of any environment), by device, at most `limit`. */
export async function findSummarizedTesters(db: Db, gameId: string, env: string, limit: number) {
  const rows = await db
    .selectFrom("tester_summaries")
    .select(["device_id", "narrative"])
    .where("game_id", "=", gameId)
    .$if(env !== "all", (query) => query.where("environment", "=", env))
    .orderBy("device_id")
    .orderBy("generated_at")
    .orderBy("environment")
    .execute();
  const newest = new Map(rows.map((row) => [row.device_id, row.narrative]));
  return [...newest].slice(0, limit).map(([deviceId, narrative]) => ({ deviceId, narrative }));
}

/** Number of sessions and active play time (ms) by device in an environment (`all`: all environments). */
export async function sumPlayTimeByDevice(
  db: Db,
  gameId: string,
  env: string,
  deviceIds: readonly string[],
): Promise<Map<string, { sessions: number; activeMs: number }>> {
  const rows = await readInParts(deviceIds, (part) =>
    selectSessions(db, { gameId, environment: env })
      .select((eb) => [
        "device_id",
        eb.fn.countAll<number>().as("sessions"),
        sumMs(eb.ref("active_ms")).as("active"),
      ])
      .where("device_id", "in", part)
      .groupBy("device_id")
      .execute(),
  );
  return new Map(
    rows.map(({ device_id, sessions, active }) => [
      device_id ?? "",
      { sessions: Number(sessions), activeMs: toSafeMs(active) },
    ]),
  );
}

/** The friction tags of each tester in an environment (`all`: all environments). */
export async function findFrictionByTester(db: Db, gameId: string, env: string) {
  const rows = await db
    .selectFrom("insights")
    .select(["tester", "tag"])
    .distinct()
    .where("game_id", "=", gameId)
    .where("type", "in", [...frictionTypes])
    .$if(env !== "all", (query) => query.where("environment", "=", env))
    .orderBy("tag")
    .execute();
  const byTester = new Map<string, string[]>();
  for (const { tester, tag } of rows) addToGroup(byTester, tester, tag);
  return byTester;
}

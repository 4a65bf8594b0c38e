/** Reads testers: the rollup and sessions of one device. */
import type { TesterRollup } from "../../contract/testers.ts";
import type { Db } from "../db/schema.ts";
import { computeStats } from "../sessions/play-time.ts";

/** The rollup of a device and the list items of its sessions (JSON texts), newest first; null if it has no session. */
export async function readTesterSessions(
  db: Db,
  gameId: string,
  deviceId: string,
): Promise<{ rollup: TesterRollup; items: string[] } | null> {
  const rows = await db
    .selectFrom("sessions")
    .select(["item", "recorded_at", "build", "country", "region", "city", "wall_ms", "active_ms"])
    .where("game_id", "=", gameId)
    .where("device_id", "=", deviceId)
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .execute();
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return null;
  const located = rows.find((row) => row.country !== null) ?? newest;
  const rollup = {
    deviceId,
    sessionCount: rows.length,
    firstSeen: oldest.recorded_at,
    lastSeen: newest.recorded_at,
    stats: computeStats(rows),
    lastBuild: newest.build,
    country: located.country,
    region: located.region,
    city: located.city,
  };
  return { rollup, items: rows.map((row) => row.item) };
}

/** The stored summary of a tester in an environment (`all`: the newest of any environment), or null. */
export async function readTesterSummary(db: Db, gameId: string, deviceId: string, env: string) {
  const row = await db
    .selectFrom("tester_summaries")
    .select(["narrative", "generated_at"])
    .where("game_id", "=", gameId)
    .where("device_id", "=", deviceId)
    .$if(env !== "all", (query) => query.where("environment", "=", env))
    .orderBy("generated_at", "desc")
    .orderBy("environment")
    .limit(1)
    .executeTakeFirst();
  return row ? { narrative: row.narrative, generatedAt: row.generated_at } : null;
}

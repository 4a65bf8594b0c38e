/** Counts the play of a build for the status of its game. */
import type { Status } from "../../contract/status.ts";
import { median } from "../../statistics/averages.ts";
import type { Db } from "../db/schema.ts";
import { type BuildScope, selectBuildSessions } from "./build-queries.ts";

type BuildPlay = Pick<NonNullable<Status["build"]>, "testers" | "sessions" | "lastPlayedAt" | "medianSec">;

/** The testers, sessions and times of a build. */
export async function readBuildPlay(db: Db, build: BuildScope): Promise<BuildPlay> {
  const rows = await selectBuildSessions(db, build).select(["tester", "recorded_at", "wall_ms"]).execute();
  return {
    testers: new Set(rows.map(({ tester }) => tester)).size,
    sessions: rows.length,
    lastPlayedAt: rows.reduce((last, { recorded_at }) => Math.max(last, recorded_at), 0),
    medianSec: rows.length === 0 ? null : median(rows.map(({ wall_ms }) => wall_ms)) / 1000,
  };
}

/** The number of sessions of a game since a time, unix ms. */
export async function countRecentSessions(
  db: Db,
  { gameId, environment, since }: { gameId: string; environment: string; since: number },
): Promise<number> {
  const { count } = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("game_id", "=", gameId)
    .where("recorded_at", ">=", since)
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Whether a build has a session in the environment. */
export const hasSessions = async (db: Db, build: BuildScope): Promise<boolean> =>
  (await selectBuildSessions(db, build).select("id").limit(1).executeTakeFirst()) !== undefined;

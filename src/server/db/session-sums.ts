/** Adds up what the sessions and findings of builds count for, to fill the counters of builds or to count them again. */
import { sql } from "kysely";
import { frictionTypes } from "../../contract/insights.ts";
import { listSessionCounts } from "./build-facts.ts";
import type { BuildCountRow, Db } from "./schema.ts";
import { ALL_ENVIRONMENTS } from "./tester-facts.ts";

/** The amounts of a game's builds, or of one build. A counter can have several amounts, which are to be added up. */
export async function readSessionSums(db: Db, game_id: string, build?: string): Promise<BuildCountRow[]> {
  const sums: BuildCountRow[] = [];
  for (const { sessions, wall_ms, active_ms, anonymous, ...group } of await groupSessions(
    db,
    game_id,
    build,
  )) {
    const device_id = Number(anonymous) === 1 ? null : "";
    const one = { ...group, game_id, tester: "", device_id, wall_ms: 0, active_ms: 0 };
    const totals: Readonly<Record<string, number>> = {
      wall_ms: Number(wall_ms),
      active_ms: Number(active_ms),
    };
    for (const { kind, name, amount } of listSessionCounts(one))
      for (const environment of [group.environment, ALL_ENVIRONMENTS])
        sums.push({
          ...{ game_id, build: group.build, environment, kind, name },
          amount: totals[kind] ?? amount * Number(sessions),
        });
  }
  for (const { environment: own, tag: name, insights, ...tagged } of await countTags(db, game_id, build))
    for (const environment of [own, ALL_ENVIRONMENTS])
      sums.push({ ...tagged, game_id, environment, kind: "insights", name, amount: Number(insights) });
  return sums;
}

/** The sessions that the counters treat alike, with their number and total durations. */
async function groupSessions(db: Db, gameId: string, build: string | undefined) {
  return await db
    .selectFrom("sessions")
    .select(["build", "environment", "status", "country", "analysis_version"])
    .select(sql<number>`case when device_id is null then 1 else 0 end`.as("anonymous"))
    .select(({ fn }) => [
      fn.countAll<number>().as("sessions"),
      fn.sum<number>("wall_ms").as("wall_ms"),
      fn.sum<number>("active_ms").as("active_ms"),
    ])
    .where("game_id", "=", gameId)
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .groupBy(["build", "environment", "status", "country", "analysis_version", "anonymous"])
    .execute();
}

/** The number of findings by build, environment and friction tag. */
async function countTags(db: Db, gameId: string, build: string | undefined) {
  return await db
    .selectFrom("insights")
    .select(["build", "environment", "tag"])
    .select(({ fn }) => fn.countAll<number>().as("insights"))
    .where("game_id", "=", gameId)
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .where("type", "in", [...frictionTypes])
    .groupBy(["build", "environment", "tag"])
    .execute();
}

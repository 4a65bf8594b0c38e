/** Counts the play of a build for the status of its game. */

import { sql } from "kysely";
import type { Status } from "../../contract/status.ts";
import { median } from "../../statistics/averages.ts";
import { ANALYSIS_VERSION } from "../analysis/version.ts";
import { hasRows } from "../db/rows.ts";
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

/** The sessions of a build that older rules analyzed, and those of them that cannot be analyzed again. */
export async function countOutdated(
  db: Db,
  build: BuildScope,
): Promise<Pick<NonNullable<Status["build"]>, "outdated" | "outdatedPruned">> {
  const rows = await selectBuildSessions(db, build)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .select(sql<number>`case when events_pruned_at is null then 0 else 1 end`.as("pruned"))
    .where("analysis_version", "<", ANALYSIS_VERSION)
    .groupBy("pruned")
    .execute();
  const counts = new Map(rows.map(({ pruned, count }) => [Number(pruned), Number(count)]));
  return { outdated: counts.get(0) ?? 0, outdatedPruned: counts.get(1) ?? 0 };
}

export const hasSessions = async (db: Db, build: BuildScope): Promise<boolean> =>
  await hasRows(selectBuildSessions(db, build).select("id"));

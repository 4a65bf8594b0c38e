/** Reads builds: the rollup of one build, and the friction of each build in a comparison. */
import { MAX_BUILD_ENVIRONMENTS } from "../../contract/build-list.ts";
import type { BuildRollup } from "../../contract/builds.ts";
import type { Stats } from "../../contract/stats.ts";
import { sum } from "../../statistics/averages.ts";
import type { Db } from "../db/schema.ts";
import { ALL_ENVIRONMENTS } from "../db/tester-facts.ts";
import { toStats } from "../sessions/play-time.ts";
import type { BuildScope } from "./build-scope.ts";
import { type BuildCounts, listAnalysisVersions, readBuildCounts } from "./count-queries.ts";
import { findMedian, readOpenDurations } from "./duration-queries.ts";

const rollupKinds = [
  ...(["sessions", "testers", "devices", "country", "wall_ms", "active_ms"] as const),
] as const;

/** The rollup of a build over all environments, or null if no session has that version. */
export async function readBuildRollup(db: Db, gameId: string, version: string): Promise<BuildRollup | null> {
  const build = { gameId, version, environment: ALL_ENVIRONMENTS };
  const counts = await readBuildCounts(db, build, rollupKinds);
  const sessionCount = counts.get("sessions");
  if (sessionCount === 0) return null;
  const [firstSeen, lastSeen] = [await findTime(db, build, "asc"), await findTime(db, build, "desc")];
  // A server of an earlier version does not update the counters of the sessions that it deletes.
  if (firstSeen === null || lastSeen === null) return null;
  return {
    version,
    sessionCount,
    uniqueDevices: counts.get("devices"),
    testerCount: counts.get("testers"),
    environments: rank(await countByEnvironment(db, build)).slice(0, MAX_BUILD_ENVIRONMENTS),
    firstSeen,
    lastSeen,
    stats: await readStats(db, build, counts),
    sampleCountry: rank(counts.list("country"))[0] ?? null,
  };
}

/** When the first or last session of a build was recorded; null if it has none. */
async function findTime(
  db: Db,
  { gameId, version }: BuildScope,
  direction: "asc" | "desc",
): Promise<number | null> {
  const row = await db
    .selectFrom("sessions")
    .select("recorded_at")
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .orderBy("recorded_at", direction)
    .limit(1)
    .executeTakeFirst();
  return row?.recorded_at ?? null;
}

/** The number of sessions of a build by environment. */
async function countByEnvironment(
  db: Db,
  { gameId, version }: BuildScope,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("session_counts")
    .select((eb) => ["environment", eb.fn.sum<number>("sessions").as("sessions")])
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .where("sessions", ">", 0)
    .groupBy("environment")
    .execute();
  return new Map(rows.map(({ environment, sessions }) => [environment, Number(sessions)]));
}

/** The statistics of the durations of all sessions of a build. */
async function readStats(db: Db, { gameId, version }: BuildScope, counts: BuildCounts): Promise<Stats> {
  const build = { game_id: gameId, build: version };
  const open = await readOpenDurations(db, build);
  const [wall, active] = [open.map(({ wall_ms }) => wall_ms), open.map(({ active_ms }) => active_ms)];
  const total = counts.get("sessions");
  return toStats({
    sessions: total,
    wallMs: counts.get("wall_ms") + sum(wall),
    activeMs: counts.get("active_ms") + sum(active),
    medianWallMs: await findMedian(db, build, "wall", { open: wall, total }),
    medianActiveMs: await findMedian(db, build, "active", { open: active, total }),
  });
}

/** The names, the one with the highest count first, and in alphabetical order if tied. */
function rank(counts: ReadonlyMap<string, number>): string[] {
  const ranked = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return ranked.map(([name]) => name);
}

/** The stored summary of a build in an environment (`all`: the newest of any environment), or null. */
export async function readBuildSummary(db: Db, gameId: string, version: string, env: string) {
  const row = await db
    .selectFrom("build_summaries")
    .select(["narrative", "generated_at"])
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .$if(env !== "all", (query) => query.where("environment", "=", env))
    .orderBy("generated_at", "desc")
    .orderBy("environment")
    .limit(1)
    .executeTakeFirst();
  return row ? { narrative: row.narrative, generatedAt: row.generated_at } : null;
}

/** The testers, sessions and friction tags of a build in an environment. */
export interface BuildFriction {
  readonly testers: number;
  readonly sessions: number;
  /** The versions of the rules that analyzed the sessions, ascending. Sessions without results are left out. */
  readonly analysisVersions: readonly number[];
  /** Sessions without a device. */
  readonly withoutDevice: number;
  readonly byTag: ReadonlyArray<{
    readonly tag: string;
    readonly testers: number;
    readonly insights: number;
  }>;
}

/** The kinds of counters that the friction of a build is made from. */
export const frictionKinds = ["sessions", "anonymous", "version", "testers", "tag", "insights"] as const;

/**
 * The testers of a build in an environment (`all`: all environments), in total and by friction tag. Testers are distinct
 * devices; a session without a device counts as its own tester.
 */
export function toBuildFriction(counts: BuildCounts): BuildFriction {
  const insights = counts.list("insights");
  return {
    testers: counts.get("testers"),
    sessions: counts.get("sessions"),
    analysisVersions: listAnalysisVersions(counts),
    withoutDevice: counts.get("anonymous"),
    byTag: [...counts.list("tag")]
      .map(([tag, testers]) => ({ tag, testers, insights: insights.get(tag) ?? 0 }))
      .sort((a, b) => compareBytes(a.tag, b.tag)),
  };
}

/** Compares texts as the databases order them. */
const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Reads builds: the rollup of one build, and the friction of each build in a comparison. */
import { MAX_BUILD_ENVIRONMENTS } from "../../contract/build-list.ts";
import type { BuildRollup } from "../../contract/builds.ts";
import { frictionTypes } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";
import { computeStats } from "../sessions/play-time-queries.ts";
import { selectSessions } from "../sessions/scope-queries.ts";
import { receiptTime } from "./registration-queries.ts";

/** The rollup of a build over all environments, or null if no session has that version. */
export async function readBuildRollup(db: Db, gameId: string, version: string): Promise<BuildRollup | null> {
  const rows = await db
    .selectFrom("sessions")
    .select(["recorded_at", "tester", "device_id", "environment", "country", "wall_ms", "active_ms"])
    .where((eb) => eb.and({ game_id: gameId, build: version }))
    .orderBy("recorded_at")
    .execute();
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return null;
  return {
    version,
    sessionCount: rows.length,
    uniqueDevices: new Set(rows.flatMap((row) => row.device_id ?? [])).size,
    testerCount: new Set(rows.map(({ tester }) => tester)).size,
    environments: rankByFrequency(rows.map(({ environment }) => environment)).slice(
      0,
      MAX_BUILD_ENVIRONMENTS,
    ),
    firstSeen: first.recorded_at,
    lastSeen: last.recorded_at,
    stats: computeStats(rows),
    sampleCountry: rankByFrequency(rows.flatMap((row) => row.country ?? []))[0] ?? null,
  };
}

/** The different values, the most frequent first, and in alphabetical order if tied. */
function rankByFrequency(values: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const ranked = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return ranked.map(([value]) => value);
}

/** The stored summary of a build in an environment (`all`: the newest of any environment), or null. */
export async function readBuildSummary(db: Db, gameId: string, version: string, env: string) {
  const row = await db
    .selectFrom("build_summaries")
    .select(["narrative", "generated_at"])
    .where((eb) => eb.and({ game_id: gameId, build: version }))
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
  readonly withoutDevice: number;
  readonly byTag: ReadonlyArray<{
    readonly tag: string;
    readonly testers: number;
    readonly insights: number;
  }>;
}

/**
 * Counts the testers of a build in an environment (`all`: all environments), in total and by friction tag. Testers are
 * distinct devices; a session without a device counts as its own tester.
 */
export async function readBuildFriction(db: Db, build: BuildScope): Promise<BuildFriction> {
  const totals = await selectBuildSessions(db, build)
    .select((eb) => [
      eb.fn.count<number>("tester").distinct().as("testers"),
      eb.fn.countAll<number>().as("sessions"),
      eb.fn.countAll<number>().filterWhere("tester", "=", eb.ref("id")).as("withoutDevice"),
    ])
    .executeTakeFirstOrThrow();
  const { gameId, version, environment } = build;
  const tags = await db
    .selectFrom("insights")
    .select((eb) => [
      "tag",
      eb.fn.count<number>("tester").distinct().as("testers"),
      eb.fn.countAll<number>().as("insights"),
    ])
    .where((eb) => eb.and({ game_id: gameId, build: version }))
    .where("type", "in", [...frictionTypes])
    .$if(build.receivedBefore !== undefined, (query) =>
      query.where("session_id", "in", selectBuildSessions(db, build).select("id")),
    )
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .groupBy("tag")
    .orderBy("tag")
    .execute();
  return {
    testers: Number(totals.testers),
    sessions: Number(totals.sessions),
    analysisVersions: await findAnalysisVersions(db, build),
    withoutDevice: Number(totals.withoutDevice),
    byTag: tags.map((row) => ({
      tag: row.tag,
      testers: Number(row.testers),
      insights: Number(row.insights),
    })),
  };
}

/** The versions of the rules that analyzed the sessions of a build, ascending. Sessions without results are left out. */
export async function findAnalysisVersions(db: Db, build: BuildScope): Promise<number[]> {
  const rows = await selectBuildSessions(db, build)
    .select("analysis_version")
    .distinct()
    .where("analysis_version", "is not", null)
    .orderBy("analysis_version")
    .execute();
  return rows.flatMap(({ analysis_version }) => analysis_version ?? []);
}

export type SessionsQuery = ReturnType<typeof selectBuildSessions>;

/** The sessions of a build in an environment. */
export const selectBuildSessions = (db: Db, { gameId, version, environment, receivedBefore }: BuildScope) =>
  selectSessions(db, { gameId, build: version, environment }).$if(receivedBefore !== undefined, (query) =>
    query.where((eb) => eb(receiptTime(eb), "<", receivedBefore ?? 0)),
  );

/** One build of a game in an environment. */
export interface BuildScope {
  readonly gameId: string;
  readonly version: string;
  /** The environment, or `all`. */
  readonly environment: string;
  /** Sessions that were received later are left out, unix ms; undefined for none. */
  readonly receivedBefore?: number | undefined;
}

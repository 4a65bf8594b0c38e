/** SQL of recounts: the builds whose counters differ, and what the rows of their sessions add up to. */
import { sql } from "kysely";
import { frictionTypes } from "../../contract/insights.ts";
import { selectBucket } from "../db/duration-bucket-queries.ts";
import { DURATION_LEVELS } from "../db/duration-buckets.ts";
import type { BuildCountRow, BuildDurationRow, Db } from "../db/schema.ts";
import { ALL_ENVIRONMENTS } from "../db/tester-facts.ts";

/** A build of a game. */
export interface BuildKey {
  readonly game_id: string;
  readonly build: string;
}

const open = sql`('pending', 'processing')`;
const friction = sql`(${sql.join(frictionTypes.map((type) => sql.lit(type)))})`;
const all = sql.lit(ALL_ENVIRONMENTS);

/**
 * The builds of a game whose counters of sessions, analyzed sessions or findings differ from `session_counts` and
 * `insight_counts`, which all versions maintain. One statement, so that it sees one state; its cost grows with the counters of the
 * game, not with its sessions.
 */
export async function findDifferingBuilds(db: Db, gameId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ build: string }>`
    with known as (select distinct build, environment from session_counts where game_id = ${gameId}),
    builds as (select distinct build from known)
    select distinct build from (
      select build, environment, counted from (
        select build, environment, 'sessions' as counted, sessions as amount
        from session_counts where game_id = ${gameId}
        union all
        select build, ${all}, 'closed', sessions
        from session_counts where game_id = ${gameId} and status not in ${open}
        union all
        select build, ${all}, 'insights', insights
        from insight_counts where game_id = ${gameId} and type in ${friction}
        union all
        select c.build, c.environment, 'sessions', -c.amount from known k join build_counts c
        on c.game_id = ${gameId} and c.build = k.build and c.environment = k.environment and c.kind = 'sessions'
        union all
        select c.build, ${all}, 'insights', -c.amount from builds b join build_counts c
        on c.game_id = ${gameId} and c.build = b.build and c.environment = ${all} and c.kind = 'insights'
        union all
        select d.build, ${all}, 'closed', -d.sessions from builds b join build_durations d
        on d.game_id = ${gameId} and d.build = b.build and d.kind = 'wall' and d.level = 0
      ) as figures group by build, environment, counted having sum(amount) <> 0
    ) as differing order by build limit ${limit}
  `.execute(db);
  return rows.map(({ build }) => build);
}

/** The builds of a game that have sessions or counters, in order, after a build. */
export async function listCountedBuilds(
  db: Db,
  gameId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ build: string }>`
    select build from (
      select build from session_counts where game_id = ${gameId}
      union select build from build_counts where game_id = ${gameId}
      union select build from build_durations where game_id = ${gameId}
      union select build from build_testers where game_id = ${gameId}
    ) as counted where ${after === null ? sql`true` : sql`build > ${after}`} order by build limit ${limit}
  `.execute(db);
  return rows.map(({ build }) => build);
}

export async function readStoredCounts(db: Db, { game_id, build }: BuildKey): Promise<BuildCountRow[]> {
  return await db
    .selectFrom("build_counts")
    .selectAll()
    .where("game_id", "=", game_id)
    .where("build", "=", build)
    .execute();
}

/** The facts of testers in a build as they are stored, in order, after a tester. */
export async function readTesterPage(db: Db, { game_id, build }: BuildKey, after: string, limit: number) {
  return await db
    .selectFrom("build_testers")
    .select(["tester", "facts"])
    .where("game_id", "=", game_id)
    .where("build", "=", build)
    .where("tester", ">", after)
    .orderBy("tester")
    .limit(limit)
    .execute();
}

type DurationKind = BuildDurationRow["kind"];

/** The buckets of a build whose sessions are not counted right, with the number that is missing (negative: too many). */
export async function findWrongBuckets(
  db: Db,
  { game_id, build }: BuildKey,
  kind: DurationKind,
  limit: number,
): Promise<{ level: number; bucket: number; by: number }[]> {
  const column = kind === "wall" ? "wall_ms" : "active_ms";
  const counted = DURATION_LEVELS.map(
    (level) => sql`
      select ${sql.lit(level)} as level, ${selectBucket(column, level)} as bucket, 1 as sessions
      from sessions where game_id = ${game_id} and build = ${build} and status not in ${open}
    `,
  );
  const { rows } = await sql<{ level: number; bucket: number; by: number }>`
    select level, bucket, sum(sessions) as by from (
      select level, bucket, -sessions as sessions from build_durations
      where game_id = ${game_id} and build = ${build} and kind = ${kind}
      union all ${sql.join(counted, sql` union all `)}
    ) as buckets group by level, bucket having sum(sessions) <> 0 limit ${limit}
  `.execute(db);
  return rows.map(({ level, bucket, by }) => ({ level, bucket: Number(bucket), by: Number(by) }));
}

export async function readDeletions(db: Db, gameId: string): Promise<number | null> {
  const row = await db.selectFrom("games").select("deletions").where("id", "=", gameId).executeTakeFirst();
  return row ? Number(row.deletions) : null;
}

/** Claims the counters of a game for one transaction. Returns false if another recount or a deletion did since. */
export async function claimCounters(db: Db, gameId: string, deletions: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("games")
    .set({ deletions: deletions + 1 })
    .where("id", "=", gameId)
    .where("deletions", "=", deletions)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The games of the database, in order. */
export async function listGames(db: Db) {
  return await db.selectFrom("games").select(["id", "slug", "account_id"]).orderBy("id").execute();
}

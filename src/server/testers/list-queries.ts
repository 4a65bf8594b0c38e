/** Reads the testers of a game, one page at a time. */
import { frictionTypes } from "../../contract/insights.ts";
import type { PageRange } from "../db/list-queries.ts";
import { countRows } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import { sumMs, toSafeMs } from "../sessions/play-time-queries.ts";
import { selectSessions } from "../sessions/scope-queries.ts";

/** Selects testers. Absent fields match all of them. */
export interface TesterFilter {
  readonly gameId: string;
  /** `all` matches every environment. */
  readonly env: string;
  readonly build?: string | undefined;
  /** Bounds on the start of the last session, unix ms: exclusive and inclusive. */
  readonly lastSeenBefore?: number | undefined;
  readonly lastSeenAfter?: number | undefined;
}

export interface TesterTotals {
  readonly tester: string;
  readonly sessions: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

function selectTesters(db: Db, { gameId, env, build, lastSeenBefore, lastSeenAfter }: TesterFilter) {
  return selectSessions(db, { gameId, environment: env })
    .select((eb) => [
      "tester",
      eb.fn.countAll<number>().as("sessions"),
      eb.fn.min("recorded_at").as("firstSeen"),
      eb.fn.max("recorded_at").as("lastSeen"),
    ])
    .$if(build !== undefined, (query) =>
      query.where("tester", "in", (eb) =>
        eb
          .selectFrom("sessions as played")
          .select("played.tester")
          .where((eb) => eb.and({ "played.game_id": gameId, "played.build": build ?? "" }))
          .$if(env !== "all", (inner) => inner.where("played.environment", "=", env)),
      ),
    )
    .groupBy("tester")
    .$if(lastSeenBefore !== undefined, (query) =>
      query.having((eb) => eb(eb.fn.max("recorded_at"), "<", lastSeenBefore ?? 0)),
    )
    .$if(lastSeenAfter !== undefined, (query) =>
      query.having((eb) => eb(eb.fn.max("recorded_at"), ">=", lastSeenAfter ?? 0)),
    );
}

/** One page of testers, the last seen first. */
export async function findTesters(
  db: Db,
  filter: TesterFilter,
  { limit, offset }: PageRange,
): Promise<TesterTotals[]> {
  const rows = await selectTesters(db, filter)
    .orderBy("lastSeen", "desc")
    .orderBy("tester")
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ tester, sessions, firstSeen, lastSeen }) => ({
    ...{ tester, sessions: Number(sessions) },
    ...{ firstSeen: Number(firstSeen), lastSeen: Number(lastSeen) },
  }));
}

export async function countTesters(db: Db, filter: TesterFilter): Promise<number> {
  return await countRows(db.selectFrom(selectTesters(db, filter).as("testers")));
}

/** The sessions of testers by build and handle, the last seen first. */
export async function findTesterBuilds(db: Db, { gameId, env }: TesterFilter, testers: readonly string[]) {
  if (testers.length === 0) return [];
  const rows = await selectSessions(db, { gameId, environment: env })
    .select((eb) => [
      ...(["tester", "build", "tester_handle", "device_id"] as const),
      eb.fn.max("recorded_at").as("lastSeen"),
      sumMs(eb.ref("active_ms")).as("activeMs"),
    ])
    .where("tester", "in", testers)
    .groupBy(["tester", "build", "tester_handle", "device_id"])
    .orderBy("lastSeen", "desc")
    .orderBy("build")
    .execute();
  return rows.map((row) => ({
    ...{ tester: row.tester, build: row.build, handle: row.tester_handle, deviceId: row.device_id },
    ...{ lastSeen: Number(row.lastSeen), activeMs: toSafeMs(row.activeMs) },
  }));
}

/** The friction tags of testers, the most frequent first, with the number of their sessions that have it. */
export async function findTesterTags(db: Db, { gameId, env }: TesterFilter, testers: readonly string[]) {
  if (testers.length === 0) return [];
  const rows = await db
    .selectFrom("sessions")
    .innerJoin("insights", (join) =>
      join
        .onRef("insights.game_id", "=", "sessions.game_id")
        .onRef("insights.session_id", "=", "sessions.id"),
    )
    .select((eb) => [
      "sessions.tester",
      "insights.tag",
      eb.fn.count<number>("sessions.id").distinct().as("tagged"),
    ])
    .where("sessions.game_id", "=", gameId)
    .where("sessions.tester", "in", testers)
    .where("insights.type", "in", [...frictionTypes])
    .$if(env !== "all", (query) => query.where("sessions.environment", "=", env))
    .groupBy(["sessions.tester", "insights.tag"])
    .orderBy("tagged", "desc")
    .orderBy("insights.tag")
    .execute();
  return rows.map(({ tester, tag, tagged }) => ({ tester, tag, sessions: Number(tagged) }));
}

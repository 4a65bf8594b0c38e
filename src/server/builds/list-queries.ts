/** Reads the builds of a game: their order, and the totals of the builds on one page. */
import type { ExpressionBuilder } from "kysely";
import { type BuildTime, MAX_CLOCK_LEAD_MS } from "../../contract/build-order.ts";
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import { groupBy } from "../../shared/group-by.ts";
import type { Db, Schema } from "../db/schema.ts";
import { sumMs, toSafeMs } from "../sessions/play-time-queries.ts";
import { type SessionScope, selectSessions } from "../sessions/scope-queries.ts";

/** The times of all builds with a matching session. Sessions without a version belong to none. */
export async function readBuildTimes(db: Db, filter: SessionScope, now: number): Promise<BuildTime[]> {
  const rows = await db
    .with("judged", () =>
      selectSessions(db, filter)
        .where("build", "!=", UNKNOWN_BUILD)
        .select(["build", "recorded_at", "received_at"])
        .select((eb) => eb.case().when(isUnreliable(eb, now)).then(0).else(1).end().as("reliable")),
    )
    .with("timed", (cte) =>
      cte.selectFrom("judged").select((eb) => [
        "build",
        "reliable",
        eb
          .case()
          .when(eb.and([eb("reliable", "=", 1), eb("received_at", "<", eb.ref("recorded_at"))]))
          .then(eb.ref("received_at"))
          .else(eb.ref("recorded_at"))
          .end()
          .as("at"),
      ]),
    )
    .with("ranked", (cte) =>
      cte.selectFrom("timed").select((eb) => [
        ...(["build", "reliable", "at"] as const),
        eb.fn
          .agg<number>("row_number")
          .over((over) => over.partitionBy(["build", "reliable"]).orderBy("at"))
          .as("position"),
        eb.fn
          .countAll<number>()
          .over((over) => over.partitionBy(["build", "reliable"]))
          .as("count"),
      ]),
    )
    .selectFrom("ranked")
    .selectAll()
    // The one or two sessions in the middle, and the last one.
    .where((eb) =>
      eb.or([
        eb(eb("position", "*", 2), "=", eb.ref("count")),
        eb(eb("position", "*", 2), "=", eb("count", "+", 1)),
        eb(eb("position", "*", 2), "=", eb("count", "+", 2)),
        eb("position", "=", eb.ref("count")),
      ]),
    )
    .execute();
  return toBuildTimes(
    rows.map(({ build, reliable, at, position, count }) => ({
      build,
      reliable: Number(reliable) === 1,
      at: Number(at),
      position: Number(position),
      count: Number(count),
    })),
  );
}

/** Whether the time of a session cannot be used, because a clock was wrong. */
const isUnreliable = (eb: ExpressionBuilder<Schema, "sessions">, now: number) =>
  eb.or([
    eb.and([eb("clock_shift", "is not", null), eb("shift_sent", "=", 0)]),
    eb.and([eb("received_at", "is", null), eb("recorded_at", ">", now)]),
    eb.and([
      eb("recorded_at", ">", now + MAX_CLOCK_LEAD_MS),
      eb("received_at", ">", now + MAX_CLOCK_LEAD_MS),
    ]),
  ]);

/** A session in the middle or at the end of the sessions of its build. */
interface RankedTime {
  readonly build: string;
  readonly reliable: boolean;
  readonly at: number;
  readonly position: number;
  readonly count: number;
}

function toBuildTimes(rows: readonly RankedTime[]): BuildTime[] {
  const reliable = new Set(rows.filter((row) => row.reliable).map(({ build }) => build));
  const used = rows.filter((row) => row.reliable === reliable.has(row.build));
  return [...groupBy(used, ({ build }) => build)].map(([version, times]) => {
    const middle = times.filter(({ position, count }) => Math.abs(position * 2 - (count + 1)) <= 1);
    return {
      version,
      hasReliableTime: reliable.has(version),
      at: middle.reduce((sum, { at }) => sum + at, 0) / middle.length,
      lastAt: Math.max(...times.map(({ at }) => at)),
    };
  });
}

/** The totals of some builds over their matching sessions, in no particular order. */
export async function readBuildTotals(db: Db, filter: SessionScope, builds: readonly string[]) {
  if (builds.length === 0) return [];
  const rows = await selectSessions(db, filter)
    .select((eb) => [
      "build",
      eb.fn.countAll<number>().as("sessions"),
      eb.fn.count<number>("tester").distinct().as("testers"),
      eb.fn.countAll<number>().filterWhere("status", "=", "analyzed").as("analyzed"),
      eb.fn.countAll<number>().filterWhere("status", "=", "failed").as("failed"),
      eb.fn.min<number>("recorded_at").as("first"),
      eb.fn.max<number>("recorded_at").as("last"),
      sumMs(eb.ref("wall_ms")).as("wall"),
    ])
    .where("build", "in", builds)
    .groupBy("build")
    .execute();
  return rows.map((row) => ({
    version: row.build,
    sessionCount: Number(row.sessions),
    testerCount: Number(row.testers),
    analyzedCount: Number(row.analyzed),
    failedCount: Number(row.failed),
    firstSeen: Number(row.first),
    lastSeen: Number(row.last),
    totalWallSec: Math.round(toSafeMs(row.wall) / 1000),
  }));
}

/** The environments of some builds, the one with the most matching sessions first. */
export async function readBuildEnvironments(db: Db, filter: SessionScope, builds: readonly string[]) {
  if (builds.length === 0) return new Map<string, string[]>();
  const rows = await selectSessions(db, filter)
    .select(["build", "environment"])
    .where("build", "in", builds)
    .groupBy(["build", "environment"])
    .orderBy((eb) => eb.fn.countAll(), "desc")
    .orderBy("environment")
    .execute();
  const environments = new Map<string, string[]>(builds.map((build) => [build, []]));
  for (const { build, environment } of rows) environments.get(build)?.push(environment);
  return environments;
}

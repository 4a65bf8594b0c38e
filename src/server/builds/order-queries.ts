/** Finds the last builds of a game in the order in which they were played (docs/decisions/033-order-of-builds.md). */
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import { DAY_MS } from "../../shared/time-units.ts";
import { toEpochDay } from "../db/counters.ts";
import type { Db } from "../db/schema.ts";

/** The game and the environment whose sessions decide the order. */
interface BuildOrderScope {
  readonly gameId: string;
  /** The environment, or `all`. */
  readonly environment: string;
  /** Unix ms. */
  readonly now: number;
}

/** The times of one build, unix ms. */
interface BuildTimes {
  readonly build: string;
  readonly hasReliableTime: boolean;
  readonly median: number;
  readonly last: number;
}

/** More builds are ordered than returned, because a late session of an old build does not make it one of the last. */
const countCandidates = (last: number) => 3 * last + 20;

/** The last builds with sessions in the environment, the oldest first. Sessions without a version are no build. */
export async function findLastBuilds(db: Db, scope: BuildOrderScope, last: number): Promise<string[]> {
  const candidates = await findCandidates(db, scope, countCandidates(last));
  const reliable = await readTimes(db, scope, candidates, true);
  const known = new Set(reliable.map(({ build }) => build));
  const others = await readTimes(
    db,
    scope,
    candidates.filter((build) => !known.has(build)),
    false,
  );
  return [...others, ...reliable]
    .sort(compareTimes)
    .slice(-last)
    .map(({ build }) => build);
}

function compareTimes(a: BuildTimes, b: BuildTimes): number {
  return (
    Number(a.hasReliableTime) - Number(b.hasReliableTime) ||
    a.median - b.median ||
    a.last - b.last ||
    (a.build < b.build ? -1 : 1)
  );
}

/** The builds with the most recent days of recording. */
async function findCandidates(
  db: Db,
  { gameId, environment }: BuildOrderScope,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select((eb) => ["build", eb.fn.max<number>("recorded_at").as("last")])
    .where("game_id", "=", gameId)
    .where("build", "!=", UNKNOWN_BUILD)
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .groupBy("build")
    .orderBy("build")
    .execute();
  return rows
    .toSorted((a, b) => toEpochDay(Number(b.last)) - toEpochDay(Number(a.last)))
    .slice(0, limit)
    .map(({ build }) => build);
}

/** The median and the last time of each build. With `reliableOnly`, sessions from wrong clocks do not count. */
async function readTimes(
  db: Db,
  { gameId, environment, now }: BuildOrderScope,
  builds: readonly string[],
  reliableOnly: boolean,
): Promise<BuildTimes[]> {
  if (builds.length === 0) return [];
  const timed = db
    .selectFrom("sessions")
    .select((eb) => [
      "build",
      reliableOnly
        ? eb
            .case()
            .when("received_at", "<", eb.ref("recorded_at"))
            .then(eb.ref("received_at"))
            .else(eb.ref("recorded_at"))
            .end()
            .as("at")
        : eb.ref("recorded_at").as("at"),
    ])
    .where("game_id", "=", gameId)
    .where("build", "in", builds)
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .$if(reliableOnly, (query) =>
      query
        .where("clock_shift", "is", null)
        .where((eb) =>
          eb.or([
            eb.and([eb("received_at", "is", null), eb("recorded_at", "<=", now)]),
            eb("received_at", "<=", now + DAY_MS),
            eb.and([eb("received_at", "is not", null), eb("recorded_at", "<=", now + DAY_MS)]),
          ]),
        ),
    );
  const ranked = db.selectFrom(timed.as("timed")).select((eb) => [
    "build",
    "at",
    eb.fn
      .agg<number>("row_number")
      .over((over) => over.partitionBy("build").orderBy("at"))
      .as("rank"),
    eb.fn
      .countAll<number>()
      .over((over) => over.partitionBy("build"))
      .as("total"),
    eb.fn
      .max("at")
      .over((over) => over.partitionBy("build"))
      .as("last"),
  ]);
  // The middle row, or the two middle rows: those whose doubled rank is at most 2 above the total.
  const rows = await db
    .selectFrom(ranked.as("ranked"))
    .select((eb) => ["build", eb.fn.avg<number>("at").as("median"), eb.fn.max("last").as("last")])
    .where((eb) => eb(eb("rank", "*", 2), ">=", eb.ref("total")))
    .where((eb) => eb(eb("rank", "*", 2), "<=", eb("total", "+", 2)))
    .groupBy("build")
    .execute();
  return rows.map(({ build, median, last }) => ({
    build,
    hasReliableTime: reliableOnly,
    median: Number(median),
    last: Number(last),
  }));
}

/** Finds the last builds of a game (docs/decisions/033-order-of-builds.md). */
import { MIN_COMPARED_TESTERS } from "../../contract/build-order.ts";
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import { type BuildBefore, findBefore, type OrderedBuild } from "../../shared/build-words.ts";
import { DAY_MS } from "../../shared/time-units.ts";
import { toEpochDay } from "../db/counters.ts";
import { MAX_IN_VALUES } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import { selectSessions } from "../sessions/scope-queries.ts";
import { selectBuildSessions } from "./build-queries.ts";
import { listRegistered, readRegistrations } from "./registration-queries.ts";

/** The game and the environment whose sessions decide the order. */
export interface BuildOrderScope {
  readonly gameId: string;
  /** The environment, or `all`. */
  readonly environment: string;
  /** Unix ms. */
  readonly now: number;
  /** The testers that a build needs to be compared with (default: as many as every comparison needs). */
  readonly minTesters?: number;
}

/** Whether builds that are neither registered nor hidden have sessions in the environment, and some builds are registered. */
export async function hasUnregistered(db: Db, scope: BuildOrderScope): Promise<boolean> {
  const { registered, hidden } = await readRegistrations(db, scope.gameId);
  if (registered.size === 0) return false;
  const known = new Set([...registered.keys(), ...hidden]);
  return (await findCandidates(db, scope, known, 1)).length > 0;
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

/**
 * The last builds with sessions in the environment, the oldest first: registered ones in the order of their registration, if
 * the game has any. Sessions without a version and hidden builds are no build.
 */
export async function findLastBuilds(db: Db, scope: BuildOrderScope, last: number): Promise<string[]> {
  const registrations = await readRegistrations(db, scope.gameId);
  if (registrations.registered.size > 0)
    return await findLastPlayed(db, scope, listRegistered(registrations), last);
  const candidates = await findCandidates(db, scope, registrations.hidden, countCandidates(last));
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

/** Builds among which the one before another is looked for. */
export const MAX_BUILDS_BEFORE = 100;

/**
 * The build that another one is compared with: the last one before it with enough testers. `builds` has the last builds, the
 * oldest first. More are only read if none of these has enough.
 */
export async function findComparedBefore(
  db: Db,
  scope: BuildOrderScope,
  builds: readonly string[],
  version: string,
): Promise<BuildBefore | null> {
  const { minTesters = MIN_COMPARED_TESTERS } = scope;
  const earlier: OrderedBuild[] = [];
  const isOrdered = builds.includes(version);
  // A build that is not registered comes after those that are.
  const isLast = !isOrdered && (await readRegistrations(db, scope.gameId)).registered.size > 0;
  const last = isLast ? builds.length : Math.max(builds.indexOf(version), 0);
  for (const before of builds.slice(0, last).reverse()) {
    const testerCount = await countTesters(db, scope, before);
    earlier.push({ version: before, testerCount });
    if (testerCount >= minTesters) return findBefore(earlier, minTesters);
  }
  const more = builds.length < MAX_BUILDS_BEFORE ? await findLastBuilds(db, scope, MAX_BUILDS_BEFORE) : [];
  return more.length > builds.length
    ? await findComparedBefore(db, scope, more, version)
    : findBefore(earlier, minTesters);
}

/** The testers of a build in the environment, up to the number that a comparison needs. */
async function countTesters(
  db: Db,
  { gameId, environment, minTesters = MIN_COMPARED_TESTERS }: BuildOrderScope,
  version: string,
): Promise<number> {
  const rows = await selectBuildSessions(db, { gameId, version, environment })
    .select("tester")
    .distinct()
    .limit(minTesters)
    .execute();
  return rows.length;
}

/** The first builds of a list with sessions in the environment, in reverse order. */
async function findLastPlayed(
  db: Db,
  scope: BuildOrderScope,
  builds: readonly string[],
  last: number,
): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < builds.length && found.length < last; at += MAX_IN_VALUES) {
    const part = builds.slice(at, at + MAX_IN_VALUES);
    const rows = await selectSessions(db, scope)
      .select("build")
      .distinct()
      .where("build", "in", part)
      .execute();
    const played = new Set(rows.map(({ build }) => build));
    found.push(...part.filter((build) => played.has(build)));
  }
  return found.slice(0, last).reverse();
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
  scope: BuildOrderScope,
  hidden: ReadonlySet<string>,
  limit: number,
): Promise<string[]> {
  const rows = await selectSessions(db, scope)
    .select((eb) => ["build", eb.fn.max<number>("recorded_at").as("last")])
    .where("build", "!=", UNKNOWN_BUILD)
    .groupBy("build")
    .orderBy("build")
    .execute();
  return rows
    .filter(({ build }) => !hidden.has(build))
    .toSorted((a, b) => toEpochDay(Number(b.last)) - toEpochDay(Number(a.last)))
    .slice(0, limit)
    .map(({ build }) => build);
}

/** The median and the last time of each build. With `reliableOnly`, sessions from wrong clocks do not count. */
async function readTimes(
  db: Db,
  scope: BuildOrderScope,
  builds: readonly string[],
  reliableOnly: boolean,
): Promise<BuildTimes[]> {
  if (builds.length === 0) return [];
  const { now } = scope;
  const timed = selectSessions(db, scope)
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
    .where("build", "in", builds)
    .$if(reliableOnly, (query) =>
      query
        .where((eb) => eb.or([eb("clock_shift", "is", null), eb("shift_sent", "=", 1)]))
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

/** Finds the median durations of the sessions of a build, without reading all of them. */
import { sql } from "kysely";
import { DURATION_LEVELS, type DurationBucket, findBucket } from "../db/duration-buckets.ts";
import { prepareQuery } from "../db/prepared.ts";
import type { BuildDurationRow, Db, SessionRow } from "../db/schema.ts";
import type { PlayTime } from "../sessions/play-time.ts";

type BuildKey = Pick<SessionRow, "game_id" | "build">;

/** The durations of the sessions of a build that wait for an analysis, in all environments. */
export async function readOpenDurations(db: Db, { game_id, build }: BuildKey): Promise<PlayTime[]> {
  return await db
    .selectFrom("sessions")
    .select(["wall_ms", "active_ms"])
    .where("game_id", "=", game_id)
    .where("build", "=", build)
    // Literals, so that the engines can use the index of these sessions.
    .where(sql<boolean>`status in ('pending', 'processing')`)
    .execute();
}

/**
 * The exact median of the durations of a build in ms: the middle one, or the mean of the two middle ones. `open` has the
 * durations that are not in the buckets, and `total` is the number of all sessions.
 */
export async function findMedian(
  db: Db,
  build: BuildKey,
  kind: BuildDurationRow["kind"],
  { open, total }: { readonly open: readonly number[]; readonly total: number },
): Promise<number> {
  const find = (position: number) => findDuration(db, { ...build, kind }, open, position);
  const upper = await find(Math.floor(total / 2));
  return total % 2 === 1 ? upper : ((await find(total / 2 - 1)) + upper) / 2;
}

type DurationKey = Pick<BuildDurationRow, "game_id" | "build" | "kind">;

/** The duration at a position (from 0) in ascending order: finds its bucket in the first level, then in each next one. */
async function findDuration(
  db: Db,
  key: DurationKey,
  open: readonly number[],
  position: number,
): Promise<number> {
  let range: DurationBucket = { first: 0, end: Number.MAX_SAFE_INTEGER };
  let before = 0;
  for (const level of DURATION_LEVELS) {
    const buckets = await readBuckets(db, key, level, range);
    for (const ms of open) {
      if (ms < range.first || ms >= range.end) continue;
      const { first } = findBucket(ms, level);
      buckets.set(first, (buckets.get(first) ?? 0) + 1);
    }
    const ordered = [...buckets].sort(([a], [b]) => a - b);
    for (const [first, sessions] of ordered) {
      range = findBucket(first, level);
      if (before + sessions > position) break;
      before += sessions;
    }
  }
  return range.first;
}

/** The number of sessions by bucket of a level within a range. */
async function readBuckets(
  db: Db,
  key: DurationKey,
  level: number,
  { first, end }: DurationBucket,
): Promise<Map<number, number>> {
  const { rows } = await bucketsQuery(db, { ...key, level, first, end });
  return new Map(rows.map((row) => [Number(row.bucket), Number(row.sessions)]));
}

const bucketsQuery = prepareQuery((db, values: DurationKey & DurationBucket & { readonly level: number }) =>
  db
    .selectFrom("build_durations")
    .select(["bucket", "sessions"])
    .where("game_id", "=", values.game_id)
    .where("build", "=", values.build)
    .where("kind", "=", values.kind)
    .where("level", "=", values.level)
    .where("bucket", ">=", values.first)
    .where("bucket", "<", values.end)
    .where("sessions", ">", 0),
);

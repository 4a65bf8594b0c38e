/** Buckets of durations in SQL. */
import { sql } from "kysely";
import { findBucket } from "./duration-buckets.ts";

/** Durations are shorter than this, ms. */
const MAX_DURATION = 2 ** 52;

/**
 * The first duration of the bucket of a level that contains a duration, as SQL: one case for each width of buckets. The column can
 * be a duration, or a bucket of a higher level.
 */
export function selectBucket(column: string, level: number) {
  const ms = sql.ref(column);
  const cases: ReturnType<typeof sql>[] = [];
  for (let from = 1; from < MAX_DURATION; from *= 2) {
    const { first, end } = findBucket(from, level);
    const width = sql.lit(end - first);
    cases.push(sql`when ${ms} < ${sql.lit(from * 2)} then ${ms} / ${width} * ${width}`);
  }
  return sql<number>`case ${sql.join(cases, sql` `)} end`;
}

/** Sums of play time in SQL that cannot overflow. */
import { type Expression, expressionBuilder } from "kysely";

/**
 * The sum of a column of ms, to be read with toSafeMs. It is computed in doubles, because a driver throws on an integer
 * beyond the safe range. Such a sum loses precision instead.
 */
export function sumMs(column: Expression<number>) {
  const eb = expressionBuilder<Record<string, never>>();
  return eb.fn.sum<number>(eb.cast<number>(column, "double precision"));
}

/** Rounds a sum of ms and limits it to the safe integers. */
export const toSafeMs = (sum: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.round(Number(sum)));

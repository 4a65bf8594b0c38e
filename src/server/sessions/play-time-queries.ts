/** Sums of play time in SQL that no single session can overflow. */
import { type Expression, expressionBuilder } from "kysely";

/**
 * The sum of a column of ms, for toSafeMs to read. It is taken in doubles, where a sum beyond the safe integers loses
 * digits; as an integer it would be refused by the driver, and every answer with it.
 */
export function sumMs(column: Expression<number>) {
  const eb = expressionBuilder<Record<string, never>>();
  return eb.fn.sum<number>(eb.cast<number>(column, "double precision"));
}

/** A sum of ms as a safe integer, the largest of them at most. */
export const toSafeMs = (sum: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.round(Number(sum)));

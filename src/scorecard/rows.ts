/** The rows of a scorecard: what each metric measured in two groups, and what that shows. */
import { mean, sum } from "../statistics/averages.ts";
import type { Interval } from "../statistics/intervals.ts";
import type { Metric } from "./metrics.ts";

export type NotComparable =
  | "nobody in a"
  | "nobody in b"
  | "room is gone"
  | "room is new, and few entered it"
  | "room is new, and nobody of a got that far"
  | "sessions are timed"
  | "different analyses";

/** What a row shows, the first that applies. */
export type RowStatus = "not comparable" | "worse" | "better" | "ruled out" | "unclear";

/** One group in a row. */
export interface RowSide {
  /** Testers who count. */
  readonly total: number;
  /** Testers with the outcome; null for means. */
  readonly count: number | null;
  /** The share, from 0 to 1, or the mean; null if nobody counts. */
  readonly value: number | null;
}

/** Describes a group by the values of the testers who count: 1 with the outcome and 0 without, or what the mean is of. */
export const describeSide = (unit: Metric["unit"], values: readonly number[]): RowSide => ({
  total: values.length,
  count: unit === "share" ? sum(values) : null,
  value: values.length === 0 ? null : mean(values),
});

export interface ScorecardRow extends Pick<Metric, "family" | "worse" | "unit" | "decides"> {
  /** Such as `quit:level-01`. */
  readonly metric: string;
  readonly name: string;
  readonly subject: string | null;
  readonly room: string | null;
  readonly status: RowStatus;
  readonly reason: NotComparable | null;
  /** Whether nobody of a entered the room, so that b is judged alone. */
  readonly isNewRoom: boolean;
  /** Whether the outcome, of which more is worse, is that of at most a tenth of those of a who count. */
  readonly isRareInA: boolean;
  /** Whether the row is worse and came with b: rare in a, or in a new room. */
  readonly isIntroduced: boolean;
  /** Whether the row is better only because of testers in both groups, who have practice. */
  readonly restsOnPractice: boolean;
  readonly a: RowSide;
  readonly b: RowSide;
  /** Testers who count in both groups. */
  readonly paired: number;
  /** The value in b minus that in a, of the same testers where there are some; null if they cannot be compared. */
  readonly difference: number | null;
  /** The largest difference for the worse that does not matter, or the largest share in a new room; null if there is none. */
  readonly limit: number | null;
  /**
   * Of the difference, at the level of the family. Of a new room, of the share in b: up to 1, because only the lower end is
   * tested. Null if it has no ends.
   */
  readonly range: Interval | null;
  /**
   * The smallest number of testers of b with the outcome that would be called worse, given those of a; null if not even all
   * of them would be, and for rows that are not shares of which more is worse.
   */
  readonly noticed: number | null;
  /** Of its own test in the direction of the difference, and corrected for the family. */
  readonly pValue: number | null;
  readonly adjustedPValue: number | null;
}

/** What a tested row is judged by. */
export interface Evidence {
  readonly worse: Metric["worse"];
  readonly isMore: boolean;
  readonly isFewer: boolean;
  readonly range: Interval;
  /** The largest change for the worse that does not matter, in the unit of the row; null if every change matters. */
  readonly limit: number | null;
}

/** What the evidence shows: significant in one direction, below the limit, or neither. */
export function decideStatus({ worse, isMore, isFewer, range, limit }: Evidence): RowStatus {
  if (worse !== null && (isMore || isFewer)) return isMore === (worse === "more") ? "worse" : "better";
  if (limit === null || worse === null || isMore || isFewer) return "unclear";
  return (worse === "more" ? range.high : -range.low) < limit ? "ruled out" : "unclear";
}

/** The largest share of a that counts as rare. */
const MAX_RARE_SHARE = 0.1;

export const isRareInA = ({ worse, unit, a }: ScorecardRow): boolean =>
  worse === "more" && unit === "share" && a.value !== null && a.value <= MAX_RARE_SHARE;

export const isIntroduced = (row: ScorecardRow): boolean =>
  row.status === "worse" && (row.isNewRoom || isRareInA(row));

/** The smallest distance of a range from what is tested that its test says it has. */
const LEAST = 1e-6;

/**
 * Moves the ends of a range to the side of the tested value on which the test of the row is: both use the same level, but
 * not the same method.
 */
export function agreeWithTest(
  { low, high }: Interval,
  { isMore, isFewer }: Pick<Evidence, "isMore" | "isFewer">,
  tested = 0,
): Interval {
  return {
    low: isMore ? Math.max(low, tested + LEAST) : Math.min(low, tested),
    high: isFewer ? Math.min(high, tested - LEAST) : Math.max(high, tested),
  };
}

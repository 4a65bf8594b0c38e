/**
 * The test for a trend in a sequence of values: H. B. Mann, "Nonparametric Tests Against Trend", Econometrica 13 (1945), and
 * M. G. Kendall, "Rank Correlation Methods" (4th edition, 1970), chapters 4 and 5.
 */
import { normalTail } from "./normal.ts";

/** The distribution of longer sequences is approximated by the normal one. */
const MAX_EXACT = 50;

interface TrendTest {
  /** More than 0 if later values tend to be larger. */
  readonly score: number;
  /** Two-sided. Equal values only make it larger than it could be. */
  readonly pValue: number;
}

/** Tests whether values rise or fall in their order. */
export function testTrend(values: readonly number[]): TrendTest {
  let score = 0;
  for (const [at, value] of values.entries())
    for (let later = at + 1; later < values.length; later += 1)
      score += Math.sign((values[later] ?? 0) - value);
  const tail = values.length > MAX_EXACT ? approximateTail : computeTail;
  return { score, pValue: Math.min(1, 2 * tail(Math.abs(score), values.length)) };
}

function approximateTail(score: number, length: number): number {
  const variance = (length * (length - 1) * (2 * length + 5)) / 18;
  return normalTail((score - 1) / Math.sqrt(variance));
}

/** The probability of at least this score if all orders are equally likely: that of so few pairs in falling order. */
function computeTail(score: number, length: number): number {
  // The probability of each number of falling pairs among the first values.
  let falling = [1];
  for (let size = 2; size <= length; size += 1) {
    const next = new Array<number>(falling.length + size - 1).fill(0);
    for (const [pairs, probability] of falling.entries())
      for (let more = 0; more < size; more += 1)
        next[pairs + more] = (next[pairs + more] ?? 0) + probability / size;
    falling = next;
  }
  const most = Math.floor(((length * (length - 1)) / 2 - score) / 2);
  return falling.slice(0, most + 1).reduce((total, probability) => total + probability, 0);
}

/** Repeats a simulation and formats what it measures. */
import { createRandom } from "../../src/statistics/random.ts";

/** The share of runs in which each condition holds, 0 to 1. */
export function measure(
  runs: number,
  seed: number,
  run: (random: () => number) => readonly boolean[],
): number[] {
  const random = createRandom(seed);
  const counts: number[] = [];
  for (let at = 0; at < runs; at += 1)
    for (const [index, holds] of run(random).entries())
      counts[index] = (counts[index] ?? 0) + (holds ? 1 : 0);
  return counts.map((count) => count / runs);
}

export const percent = (share = 0) => `${(share * 100).toFixed(1)}%`;

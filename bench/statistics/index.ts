/**
 * Simulates the statistics of the gate, of `builds compare` and of experiments, and prints one table: what is claimed, the target, and the measured value.
 * `npm run bench -- statistics --runs 5000` sets the number of runs of each simulation. All seeds are fixed.
 */
import { comparisonClaims } from "./comparison.ts";
import { experimentClaims } from "./experiments.ts";
import { gateClaims } from "./gate.ts";

/** One row of the table. */
export interface ClaimRow {
  readonly claim: string;
  readonly target: string;
  readonly measured: string;
}

/** Creates the rows of one area, each after its simulation. */
export type ClaimSource = (runs: number) => AsyncGenerator<ClaimRow> | Generator<ClaimRow>;

const DEFAULT_RUNS = 5_000;
const QUICK_RUNS = 200;

const sources: readonly ClaimSource[] = [gateClaims, comparisonClaims, experimentClaims];

/** Prints the table as Markdown, row by row. */
export async function benchStatistics(quick: boolean): Promise<void> {
  const at = process.argv.indexOf("--runs");
  const given = at < 0 ? Number.NaN : Number(process.argv[at + 1]);
  const runs = Number.isInteger(given) && given > 0 ? given : quick ? QUICK_RUNS : DEFAULT_RUNS;
  console.log(`\nStatistics: ${runs} runs of each simulation\n`);
  console.log("| claim | target | measured |\n| --- | --- | --- |");
  for (const source of sources)
    for await (const { claim, target, measured } of source(runs))
      console.log(`| ${claim} | ${target} | ${measured} |`);
}

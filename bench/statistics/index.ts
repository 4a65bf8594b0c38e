/**
 * Simulates the statistics of experiments, and prints one table: what is claimed, the target, and the measured value.
 * `npm run bench -- statistics --runs 5000` sets the number of runs of each simulation. All seeds are fixed.
 * `npm run bench -- scorecard` simulates those of builds.
 */
import { experimentClaims } from "./experiments.ts";

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

/** Prints the table as Markdown, row by row. */
export async function benchStatistics(quick: boolean): Promise<void> {
  const given = Number(readOption("--runs"));
  const runs = Number.isInteger(given) && given > 0 ? given : quick ? QUICK_RUNS : DEFAULT_RUNS;
  console.log(`\nStatistics: ${runs} runs of each simulation\n`);
  console.log("| claim | target | measured |\n| --- | --- | --- |");
  for await (const { claim, target, measured } of experimentClaims(runs))
    console.log(`| ${claim} | ${target} | ${measured} |`);
}

/** The argument after an option; undefined if the option is not given. */
function readOption(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

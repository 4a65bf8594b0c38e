/**
 * Simulates the statistics of the gate, of `builds compare` and of experiments, and prints one table: what is claimed,
 * the target, and the measured value. `npm run bench -- statistics --runs 5000` sets the number of runs of each
 * simulation. `--only sessions,play-time` selects areas. All seeds are fixed.
 */
import { comparisonClaims } from "./comparison.ts";
import { experimentClaims } from "./experiments.ts";
import {
  detectionClaims,
  deviceClaims,
  limitClaims,
  playTimeClaims,
  repeatedClaims,
  roomClaims,
  sessionClaims,
} from "./gate.ts";

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

/** The areas by name, in the order of the table. The areas before `compare` are about the gate. */
const sources: Readonly<Record<string, ClaimSource>> = {
  sessions: sessionClaims,
  "play-time": playTimeClaims,
  rooms: roomClaims,
  devices: deviceClaims,
  detection: detectionClaims,
  repeated: repeatedClaims,
  limits: limitClaims,
  compare: comparisonClaims,
  experiments: experimentClaims,
};

/** Prints the table as Markdown, row by row. */
export async function benchStatistics(quick: boolean): Promise<void> {
  const given = Number(readOption("--runs"));
  const only = readOption("--only")?.split(",") ?? Object.keys(sources);
  const selected = only.map((name) => {
    const source = sources[name];
    if (!source) throw new Error(`Unknown area: ${name}. Available: ${Object.keys(sources).join(", ")}`);
    return source;
  });
  const runs = Number.isInteger(given) && given > 0 ? given : quick ? QUICK_RUNS : DEFAULT_RUNS;
  console.log(`\nStatistics: ${runs} runs of each simulation\n`);
  console.log("| claim | target | measured |\n| --- | --- | --- |");
  for (const source of selected)
    for await (const { claim, target, measured } of source(runs))
      console.log(`| ${claim} | ${target} | ${measured} |`);
}

/** The argument after an option; undefined if the option is not given. */
function readOption(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

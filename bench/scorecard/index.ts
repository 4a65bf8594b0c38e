/**
 * Simulates the error rates and the power of the scorecard, and measures its speed: `npm run bench -- scorecard --runs 1000`. `--only errors`,
 * `--only power`, `--only looks` or `--only speed` selects a part, `--cell saved` the situations whose names contain this, and
 * `--seed 5` other testers than the default seed.
 */
import { wilsonInterval } from "../../src/statistics/intervals.ts";
import { CELLS, measureErrors } from "./error-rates.ts";
import { measureLooks } from "./experiment-looks.ts";
import { measureIncrease, measureSessions } from "./power.ts";
import { measureSpeed } from "./speed.ts";

const DEFAULT_RUNS = 1_000;
const QUICK_RUNS = 100;
const DEFAULT_SEED = 37;
const LEVEL = 0.05;

export async function benchScorecard(quick: boolean): Promise<void> {
  const given = Number(readOption("--runs"));
  const runs = Number.isInteger(given) && given > 0 ? given : quick ? QUICK_RUNS : DEFAULT_RUNS;
  const only = readOption("--only");
  const parts = { errors: printErrors, power: printPower, looks: printLooks, speed: printSpeed };
  for (const [name, print] of Object.entries(parts)) if (only === undefined || only === name) print(runs);
}

function printErrors(runs: number): void {
  console.log(`\nEqual builds called worse or better, ${runs} runs of each\n`);
  console.log("| testers | worse | better | holds | ratings worse |\n| --- | --- | --- | --- | --- |");
  const seed = Number(readOption("--seed") ?? DEFAULT_SEED);
  const name = readOption("--cell") ?? "";
  for (const cell of CELLS.filter((one) => one.name.includes(name))) {
    const { worse, better, others } = measureErrors(cell, runs, seed);
    const holds = [worse, better].every((share) => wilsonInterval(share * runs, runs).low <= LEVEL);
    const texts = [worse, better].map((share) => formatShare(share, runs));
    console.log(
      `| ${cell.name} | ${texts.join(" | ")} | ${holds ? "yes" : "no"} | ${formatShare(others, runs)} |`,
    );
  }
}

const INCREASES = [
  { from: 0.02, to: 0.42 },
  { from: 0.1, to: 0.3 },
  { from: 0.2, to: 0.4 },
  { from: 0.2, to: 0.6 },
  { from: 0.4, to: 0.8 },
];

function printPower(runs: number): void {
  console.log(`\nWorse builds that are called worse, ${runs} runs of each\n`);
  console.log("| testers per build | from | to | found | Boschloo | introduced |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const { from, to } of INCREASES) {
    for (const testers of [10, 20, 50, 100]) {
      const shares = measureIncrease(testers, { from, to }, runs);
      const texts = [shares.found, shares.boschloo, shares.introduced].map((one) => formatShare(one, runs));
      console.log(`| ${testers} | ${from * 100}% | ${to * 100}% | ${texts.join(" | ")} |`);
    }
  }
  console.log("\n| sessions of b | a tag of half of 20 testers is found |\n| --- | --- |");
  for (const sessions of [1, 2, 4])
    console.log(`| ${sessions} | ${formatShare(measureSessions(sessions, runs), runs)} |`);
}

function printLooks(runs: number): void {
  console.log(
    `\nEqual variants that are ever decided wrongly, with a look after every 10% more players, ${runs} runs\n`,
  );
  console.log(
    "| players per variant | worse | better | shipped | stopped |\n| --- | --- | --- | --- | --- |",
  );
  for (const players of [100, 1_000]) {
    const { worse, better, shipped, stopped } = measureLooks(players, runs);
    const texts = [worse, better, shipped, stopped].map((share) => formatShare(share, runs));
    console.log(`| ${players} | ${texts.join(" | ")} |`);
  }
}

function printSpeed(): void {
  console.log("\n| testers per build | rows | time |\n| --- | --- | --- |");
  for (const testers of [100, 1_000, 10_000, 33_000]) {
    const { rows, totalMs } = measureSpeed(testers);
    console.log(`| ${testers} | ${rows} | ${Math.round(totalMs)} ms |`);
  }
}

/** A share with the range that the number of runs leaves. */
export function formatShare(share: number, runs: number): string {
  const { low, high } = wilsonInterval(share * runs, runs);
  const percent = (value: number) => (value * 100).toFixed(1);
  return `${percent(share)}% (${percent(low)} to ${percent(high)})`;
}

function readOption(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

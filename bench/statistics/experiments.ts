/** Simulates the statistics of experiments with fixed seeds: one row per claim, measured on the modules of the service. */

import type { ExperimentMetric, ExperimentVerdict } from "../../src/contract/experiments.ts";
import { Random } from "../../src/demo/random.ts";
import { computeDifferences } from "../../src/server/experiments/differences.ts";
import type { VariantRates } from "../../src/server/experiments/metrics.ts";
import { planPlayers } from "../../src/server/experiments/needed-players.ts";
import { decideVerdict } from "../../src/server/experiments/verdict.ts";
import { differenceInterval } from "../../src/statistics/confidence-sequence.ts";
import { excludesZero } from "../../src/statistics/intervals.ts";
import {
  addContribution,
  clusteredInterval,
  createRateSums,
  estimateRate,
  type RateContribution,
  type RateSums,
} from "../../src/statistics/rates.ts";
import { checkSampleRatio } from "../../src/statistics/sample-ratio.ts";
import { type CrashModel, drawCrashes, drawReturn, drawTimes } from "./experiment-draws.ts";
import type { ClaimRow } from "./index.ts";

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const AT_MOST_5 = "≤ 5 %";

/** All rows about experiments. The documented figures come from 5,000 runs. */
export function* experimentClaims(runs: number): Generator<ClaimRow> {
  yield* sequentialIntervals(runs);
  yield* guardrail(runs);
  yield* equalVariants(runs);
  yield* severalMetrics(runs);
  yield* clusteredIntervals(runs);
  yield* sampleSizes(runs);
  yield* earlyStops(runs);
  yield* sampleRatio(runs);
}

/** The share of runs in which something happens. Each run has its own sequence of random numbers. */
function measureShare(name: string, runs: number, happens: (random: Random) => boolean): number {
  let count = 0;
  for (let run = 0; run < runs; run += 1) if (happens(new Random(`${name} ${run}`))) count += 1;
  return count / runs;
}

const LOOK_EVERY = 10;

/** Adds players one at a time and looks after every tenth. Returns the number of players at which `stop` was true. */
function playUntil(most: number, add: () => void, stop: (players: number) => boolean): number | null {
  for (let players = 1; players <= most; players += 1) {
    add();
    if (players % LOOK_EVERY === 0 && stop(players)) return players;
  }
  return null;
}

const RATES = [0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95];

function* sequentialIntervals(runs: number): Generator<ClaimRow> {
  for (const share of [0.5, 0.3, 0.2, 0.1, 0.05]) {
    const measured = RATES.map((rate) => shareDifferent(runs, share, (random) => drawReturn(random, rate)));
    yield {
      claim: `Equal rates of ${RATES[0]} to ${RATES.at(-1)} ever differ, allocation ${100 - share * 100}/${share * 100}, 4,000 players`,
      target: AT_MOST_5,
      measured: `${percent(Math.min(...measured))} to ${percent(Math.max(...measured))}`,
    };
  }
  const rare = [0.5, 0.1].map((share) => shareDifferent(runs, share, (random) => drawReturn(random, 0.01)));
  yield {
    claim: "Equal rates of 0.01 ever differ, allocations 50/50 and 90/10, 4,000 players",
    target: AT_MOST_5,
    measured: `at most ${percent(Math.max(...rare))}`,
  };
  const clustered = [0.1, 0.4].map((correlation) => {
    const crashes: CrashModel = { rate: 0.03, correlation, sessions: 5, varied: true };
    return shareDifferent(runs, 0.5, (random) => drawCrashes(random, crashes), 2000);
  });
  yield {
    claim: "Equal crash rates of 0.03 ever differ, 5 sessions per player on average, 2,000 players",
    target: AT_MOST_5,
    measured: `at most ${percent(Math.max(...clustered))}`,
  };
}

/** The share of runs in which two equal variants differ at any look. `share` is the allocation of the second one. */
function shareDifferent(
  runs: number,
  share: number,
  draw: (random: Random) => RateContribution,
  most = 4000,
): number {
  return measureShare(`equal ${share}`, runs, (random) => {
    const [a, b] = [createRateSums(), createRateSums()];
    const stopped = playUntil(
      most,
      () => addContribution(random.chance(share) ? b : a, draw(random)),
      () => excludesZero(differenceInterval(estimateRate(a), estimateRate(b))),
    );
    return stopped !== null;
  });
}

/** A variant of a simulated experiment, and how its players behave. */
interface SimulatedVariant {
  readonly key: string;
  readonly returning: number;
  readonly crashes: CrashModel;
}

type SimulatedMetric = "retention-1" | "crash-rate";

class SimulatedExperiment {
  readonly #sums: Record<SimulatedMetric, RateSums>[];

  constructor(readonly variants: readonly SimulatedVariant[]) {
    this.#sums = variants.map(() => ({ "retention-1": createRateSums(), "crash-rate": createRateSums() }));
  }

  /** Adds one player to each variant. */
  add(random: Random): void {
    for (const [at, { returning, crashes }] of this.variants.entries()) {
      const sums = this.#sums[at];
      if (!sums) continue;
      addContribution(sums["retention-1"], drawReturn(random, returning));
      addContribution(sums["crash-rate"], drawCrashes(random, crashes));
    }
  }

  estimate(): VariantRates[] {
    const none = estimateRate(createRateSums());
    return this.variants.map(({ key }, at) => ({
      key,
      share: 1 / this.variants.length,
      rates: {
        "retention-1": estimateRate(this.#sums[at]?.["retention-1"] ?? createRateSums()),
        "retention-2": none,
        "retention-7": none,
        "crash-rate": estimateRate(this.#sums[at]?.["crash-rate"] ?? createRateSums()),
        engagement: none,
      },
    }));
  }
}

/** The verdict of an experiment whose friction is not looked at; `npm run bench -- scorecard` simulates that. */
const decide = (experiment: SimulatedExperiment): ExperimentVerdict =>
  decideVerdict({
    ...{ variants: experiment.estimate(), scorecards: [], status: "running" },
    ...{ blocker: null, shipBlocker: null, crashMargin: null },
  });

/** The shares of runs in which a verdict is ever reached, by the given numbers of players per variant. */
function reachedBy(
  runs: number,
  variants: readonly SimulatedVariant[],
  players: readonly number[],
  isReached = ({ decision }: ExperimentVerdict) => decision === "ship",
): number[] {
  const most = Math.max(...players);
  const stops: number[] = [];
  measureShare(`leader ${JSON.stringify(variants)}`, runs, (random) => {
    const experiment = new SimulatedExperiment(variants);
    const stopped = playUntil(
      most,
      () => experiment.add(random),
      () => isReached(decide(experiment)),
    );
    if (stopped !== null) stops.push(stopped);
    return stopped !== null;
  });
  return players.map((count) => stops.filter((stopped) => stopped <= count).length / runs);
}

const withCrashes = (
  rates: readonly number[],
  sessions: number,
  returning = [0.3, 0.6],
): SimulatedVariant[] =>
  rates.map((rate, at) => ({
    key: `v${at}`,
    returning: returning[at] ?? 0.3,
    crashes: { rate, correlation: sessions > 1 ? 0.1 : 0, sessions },
  }));

function* guardrail(runs: number): Generator<ClaimRow> {
  const players = [100, 200, 400, 800];
  for (const sessions of [1, 3]) {
    const tripled = reachedBy(runs, withCrashes([0.01, 0.03], sessions), players);
    yield {
      claim: `Shipped although its crashes tripled from 1 % to 3 %, by 100, 200, 400 and 800 players per variant, sessions per player: ${sessions}`,
      target: AT_MOST_5,
      measured: tripled.map(percent).join(", "),
    };
  }
  const doubled = reachedBy(runs, withCrashes([0.01, 0.02], 3), players);
  yield {
    claim: "The same if its crashes doubled from 1 % to 2 %, which the margin allows, sessions per player: 3",
    target: "reported",
    measured: doubled.map(percent).join(", "),
  };
  const equal = reachedBy(runs, withCrashes([0.003, 0.003], 3), [400, 800, 1600]);
  yield {
    claim:
      "Shipped with 60 % instead of 30 % retention and equal crashes of 0.3 %, by 400, 800 and 1,600 players",
    target: "reported",
    measured: equal.map(percent).join(", "),
  };
}

function* severalMetrics(runs: number): Generator<ClaimRow> {
  const wrong = [2, 3, 5].map((count) => {
    const variants = withCrashes(Array(count).fill(0), 1, Array(count).fill(0.3));
    return reachedBy(runs, variants, [1000], ({ lead }) => lead !== null)[0] ?? 0;
  });
  yield {
    claim: "A variant is ahead among 2, 3 and 5 equal variants, by 1,000 players per variant",
    target: AT_MOST_5,
    measured: wrong.map(percent).join(", "),
  };
  const uncorrected = shareOfRunsWithDifference(runs, ({ significant }) => significant);
  const corrected = shareOfRunsWithDifference(runs, ({ adjustedPValue }) => (adjustedPValue ?? 1) <= 0.05);
  yield {
    claim:
      "Any of 4 further metrics differs between equal variants by 1,000 players per variant, corrected by Holm",
    target: AT_MOST_5,
    measured: `${percent(corrected)} (uncorrected: ${percent(uncorrected)})`,
  };
}

type Difference = ReturnType<typeof computeDifferences>[number];

/** The share of runs in which any metric except the primary one differs at any look. */
function shareOfRunsWithDifference(runs: number, differs: (difference: Difference) => boolean): number {
  const crashes: CrashModel = { rate: 0.1, correlation: 0.1, sessions: 3 };
  const draws: Readonly<Record<ExperimentMetric, (random: Random) => RateContribution>> = {
    "retention-1": (random) => drawReturn(random, 0.4),
    "retention-2": (random) => drawReturn(random, 0.3),
    "retention-7": (random) => drawReturn(random, 0.2),
    "crash-rate": (random) => drawCrashes(random, crashes),
    engagement: drawTimes,
  };
  const create = () => ({
    "retention-1": createRateSums(),
    "retention-2": createRateSums(),
    "retention-7": createRateSums(),
    "crash-rate": createRateSums(),
    engagement: createRateSums(),
  });
  const metrics = Object.keys(draws) as ExperimentMetric[];
  return measureShare("metrics", runs, (random) => {
    const variants = [create(), create()];
    const stopped = playUntil(
      1000,
      () => {
        for (const sums of variants)
          for (const metric of metrics) addContribution(sums[metric], draws[metric](random));
      },
      () => {
        const rates = variants.map(
          (sums, at): VariantRates => ({
            key: `v${at}`,
            share: 0.5,
            rates: {
              "retention-1": estimateRate(sums["retention-1"]),
              "retention-2": estimateRate(sums["retention-2"]),
              "retention-7": estimateRate(sums["retention-7"]),
              "crash-rate": estimateRate(sums["crash-rate"]),
              engagement: estimateRate(sums.engagement),
            },
          }),
        );
        return computeDifferences(rates).some(
          (difference) => difference.role !== "primary" && differs(difference),
        );
      },
    );
    return stopped !== null;
  });
}

function* clusteredIntervals(runs: number): Generator<ClaimRow> {
  for (const varied of [false, true]) {
    const measured = [100, 400].flatMap((players) =>
      [0, 0.1, 0.4, 0.8].flatMap((correlation) =>
        [0.01, 0.03, 0.1, 0.3, 0.5].map((rate) => {
          const crashes = { rate, correlation, sessions: 5, varied };
          return coverage(runs, players, rate, (random) => drawCrashes(random, crashes));
        }),
      ),
    );
    yield {
      claim: `95 % intervals of crash rates contain the true rate, 100 and 400 players with 5 sessions${varied ? " on average" : ""}`,
      target: "≥ 94 %",
      measured: `at least ${percent(Math.min(...measured))}`,
    };
  }
  const engagement = [100, 400].map((players) => coverage(runs, players, 0.6, drawTimes));
  yield {
    claim: "95 % intervals of engagement contain the true rate, 100 and 400 players",
    target: "≥ 94 %",
    measured: engagement.map(percent).join(", "),
  };
}

function coverage(
  runs: number,
  players: number,
  rate: number,
  draw: (random: Random) => RateContribution,
): number {
  return measureShare("coverage", runs, (random) => {
    const sums = createRateSums();
    for (let player = 0; player < players; player += 1) addContribution(sums, draw(random));
    const { low, high } = clusteredInterval(sums);
    return low <= rate && rate <= high;
  });
}

/** Equal variants: a verdict that calls one better, or worse. That no variant is better is no error. */
function* equalVariants(runs: number): Generator<ClaimRow> {
  const equal = withCrashes([0.05, 0.05], 2, [0.35, 0.35]);
  const players = [100, 300, 1000, 3000];
  const shipped = reachedBy(runs, equal, players);
  const stopped = reachedBy(
    runs,
    equal,
    players,
    ({ decision, reason }) => decision === "stop" && !reason.startsWith("no variant"),
  );
  yield {
    claim: "One of two equal variants is ever shipped, by 100, 300, 1,000 and 3,000 players per variant",
    target: AT_MOST_5,
    measured: shipped.map(percent).join(", "),
  };
  yield {
    claim:
      "An experiment of two equal variants ever stops because one is worse, by as many players, without friction and quits",
    target: AT_MOST_5,
    measured: stopped.map(percent).join(", "),
  };
}

/** The planned players per variant of an experiment whose rates were measured exactly. */
function planFor(variants: readonly SimulatedVariant[]): number {
  const random = new Random("plan");
  const experiment = new SimulatedExperiment(variants.map(() => variants[0]).flatMap((one) => one ?? []));
  for (let player = 0; player < 20_000; player += 1) experiment.add(random);
  return planPlayers(experiment.estimate(), { lead: null, guards: [] }).playersNeeded[0] ?? 0;
}

function* sampleSizes(runs: number): Generator<ClaimRow> {
  const better = withCrashes([0, 0], 1, [0.3, 0.35]);
  const primary = planFor(better);
  const found = measureShare("power", runs, (random) => {
    const experiment = new SimulatedExperiment(better);
    const ahead = () => decide(experiment).lead?.variant === "v1";
    return playUntil(primary, () => experiment.add(random), ahead) !== null;
  });
  yield {
    claim: `A rise from 30 % to 35 % is found by the planned ${primary} players per variant`,
    target: "≥ 80 %",
    measured: percent(found),
  };
  const counts = [100, 300, 1000];
  const safe = counts.map((players) =>
    measureShare("safe", runs, (random) => {
      const experiment = new SimulatedExperiment(withCrashes([0.06, 0.06], 3));
      for (let player = 0; player < players; player += 1) experiment.add(random);
      return decide(experiment).guards[0]?.safe === true;
    }),
  );
  yield {
    claim: "Equal crash rates of 6 % in 3 sessions are safe with 100, 300 and 1,000 players per variant",
    target: "reported",
    measured: safe.map(percent).join(", "),
  };
}

function* earlyStops(runs: number): Generator<ClaimRow> {
  const truth = 0.05;
  const variants = withCrashes([0, 0], 1, [0.3, 0.3 + truth]);
  const planned = planFor(variants);
  const early: { readonly delta: number; readonly flagged: boolean }[] = [];
  let tooHigh = 0;
  measureShare("early", runs, (random) => {
    const experiment = new SimulatedExperiment(variants);
    let excluded = false;
    let stopped = false;
    playUntil(
      planned,
      () => experiment.add(random),
      (players) => {
        const { lead } = decide(experiment);
        if (lead?.variant !== "v1") return false;
        if (!stopped && players <= planned / 10) early.push({ delta: lead.delta, flagged: lead.early });
        stopped = true;
        if (lead.interval.low > truth) excluded = true;
        return excluded;
      },
    );
    if (excluded) tooHigh += 1;
    return stopped;
  });
  const mean = early.reduce((sum, { delta }) => sum + delta, 0) / early.length;
  yield {
    claim: "Leads found before a tenth of the planned players are marked as early",
    target: "100 %",
    measured: `${percent(early.filter(({ flagged }) => flagged).length / early.length)} (mean lead ${(mean * 100).toFixed(1)} points, true 5.0)`,
  };
  yield {
    claim: "The lower end of the interval of a lead is ever above the true difference",
    target: AT_MOST_5,
    measured: percent(tooHigh / runs),
  };
}

function* sampleRatio(runs: number): Generator<ClaimRow> {
  const even = [0.5, 0.5];
  const warns = (name: string, loss: number) =>
    measureShare(name, runs, (random) => {
      const players = [0, 0];
      while ((players[0] ?? 0) + (players[1] ?? 0) < 5000) {
        const at = random.chance(0.5) ? 0 : 1;
        if (at === 1 && random.chance(loss)) continue;
        players[at] = (players[at] ?? 0) + 1;
      }
      return checkSampleRatio(even, players)?.warning === true;
    });
  const sensitivity = checkSampleRatio(even, [2500, 2500])?.sensitivity;
  const detectable = sensitivity?.detectableLoss ?? 1;
  yield {
    claim: "The sample ratio warning notices the loss of 5 % of a variant at 5,000 players",
    target: `stated: ${percent(sensitivity?.power ?? 0)}`,
    measured: percent(warns("loss", 0.05)),
  };
  yield {
    claim: `It notices the stated detectable loss of ${percent(detectable)}`,
    target: "≥ 80 %",
    measured: percent(warns("detectable", detectable)),
  };
}

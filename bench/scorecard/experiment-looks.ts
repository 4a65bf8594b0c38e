/** How often an experiment of two equal variants is ever decided wrongly, if it is looked at repeatedly while players arrive. */
import type { VariantScorecard } from "../../src/contract/experiments.ts";
import type { TesterFacts } from "../../src/scorecard/facts.ts";
import { computeScorecard, type Scorecard } from "../../src/scorecard/scorecard.ts";
import { titleRow } from "../../src/scorecard/titled-rows.ts";
import type { VariantRates } from "../../src/server/experiments/metrics.ts";
import { chooseOptions } from "../../src/server/experiments/variant-scorecards.ts";
import { decideVerdict, GUARD_FAMILIES } from "../../src/server/experiments/verdict.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { estimateRate, sumContributions } from "../../src/statistics/rates.ts";
import { GAME, PLAY_SEC } from "./error-rates.ts";
import { group, simulateTester } from "./simulated-testers.ts";

/** The players of each variant at the looks: 10% more at each. */
const FIRST = 15;
const GROWTH = 1.1;
const RETURNING = 0.35;
/** Enough for p-values far from the level of a look; all others are computed again with the divisions in use. */
const FEW_DIVISIONS = 1;

/** What ever happened in a run. */
interface LookErrors {
  worse: number;
  better: number;
  shipped: number;
  stopped: number;
}

interface Player {
  readonly facts: TesterFacts;
  readonly returned: boolean;
}

/** The shares of runs with each error by the given number of players of each variant. */
export function measureLooks(most: number, runs: number): LookErrors {
  const random = createRandom(11);
  const errors = { worse: 0, better: 0, shipped: 0, stopped: 0 };
  for (let run = 0; run < runs; run += 1) {
    const happened = playExperiment(random, most);
    for (const name of ["worse", "better", "shipped", "stopped"] as const)
      if (happened.has(name)) errors[name] += 1;
  }
  for (const name of ["worse", "better", "shipped", "stopped"] as const) errors[name] /= runs;
  return errors;
}

function playExperiment(random: () => number, most: number): ReadonlySet<keyof LookErrors> {
  const happened = new Set<keyof LookErrors>();
  const variants: Player[][] = [[], []];
  for (let players = FIRST; players <= most; players = Math.ceil(players * GROWTH)) {
    for (const variant of variants) while (variant.length < players) variant.push(createPlayer(random));
    const [a = [], b = []] = variants;
    const rows = scoreRows(a, b);
    const statuses = new Set(
      rows
        .filter(({ family, decides }) => decides && GUARD_FAMILIES.includes(family))
        .map(({ status }) => status),
    );
    for (const status of ["worse", "better"] as const) if (statuses.has(status)) happened.add(status);
    const { decision, reason } = decideVerdict({
      ...{ variants: [toRates("a", a), toRates("b", b)], status: "running" },
      scorecards: [{ variant: "b", baseline: "a", level: 0, rows }],
      ...{ blocker: null, shipBlocker: null, crashMargin: null },
    });
    if (decision === "ship") happened.add("shipped");
    if (decision === "stop" && !reason.startsWith("no variant")) happened.add("stopped");
  }
  return happened;
}

function createPlayer(random: () => number): Player {
  const habits = { id: null, isReturning: null, weakness: -Math.log(1 - random()), sessions: 1 };
  return {
    facts: simulateTester(random, GAME, { ...habits, sec: PLAY_SEC * (0.6 + 0.8 * random()) }),
    returned: random() < RETURNING,
  };
}

function scoreRows(a: readonly Player[], b: readonly Player[]): VariantScorecard["rows"] {
  const options = chooseOptions(a.length + b.length, 1);
  const compute = (divisions?: number): Scorecard =>
    computeScorecard(
      group(a.map(({ facts }) => facts)),
      group(b.map(({ facts }) => facts)),
      divisions === undefined ? options : { ...options, divisions },
    );
  const quick = compute(FEW_DIVISIONS);
  const isNear = quick.rows.some(
    ({ decides, family, pValue }) =>
      decides && GUARD_FAMILIES.includes(family) && (pValue ?? 1) <= options.level / options.families.length,
  );
  const { rows } = isNear ? compute() : quick;
  const words = { titles: new Map<string, string>(), kinds: new Map<string, string>() };
  return rows.map((row) => titleRow(row, words));
}

function toRates(key: string, players: readonly Player[]): VariantRates {
  const estimate = (shares: readonly { readonly part: number; readonly whole: number }[]) =>
    estimateRate(sumContributions(shares));
  const none = estimate([]);
  return {
    ...{ key, share: 0.5 },
    rates: {
      "retention-1": estimate(players.map(({ returned }) => ({ part: returned ? 1 : 0, whole: 1 }))),
      ...{ "retention-2": none, "retention-7": none, engagement: none },
      "crash-rate": estimate(
        players.map(({ facts: { sessions } }) => ({
          part: sessions.filter(({ crashed }) => crashed).length,
          whole: sessions.length,
        })),
      ),
    },
  };
}

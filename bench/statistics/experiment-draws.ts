/** Random players of simulated experiments. */
import type { Random } from "../../src/demo/random.ts";
import type { RateContribution } from "../../src/statistics/rates.ts";

/** How the sessions of a player crash. */
export interface CrashModel {
  /** Mean share of sessions with a crash. */
  readonly rate: number;
  /** Correlation between two sessions of one player: 0 if they are independent. */
  readonly correlation: number;
  /** Mean number of sessions. */
  readonly sessions: number;
  /** Whether the number of sessions is the same for all players, or geometrically distributed. */
  readonly varied?: boolean;
}

/** The crashes of one player. The rate of each player has a beta distribution with the given correlation. */
export function drawCrashes(
  random: Random,
  { rate, correlation, sessions, varied }: CrashModel,
): RateContribution {
  const whole = varied ? drawGeometric(random, sessions) : sessions;
  const own = correlation > 0 ? drawBeta(random, rate, 1 / correlation - 1) : rate;
  let part = 0;
  for (let session = 0; session < whole; session += 1) if (random.chance(own)) part += 1;
  return { part, whole };
}

/** Active and wall time of one player: lognormal wall time, of which a beta-distributed share with mean 0.6 is active. */
export function drawTimes(random: Random): RateContribution {
  const whole = 600_000 * Math.exp(drawNormal(random));
  return { part: whole * drawBeta(random, 0.6, 4), whole };
}

export function drawReturn(random: Random, rate: number): RateContribution {
  return { part: random.chance(rate) ? 1 : 0, whole: 1 };
}

/** A count of at least 1 with the given mean. */
function drawGeometric(random: Random, mean: number): number {
  return 1 + Math.floor(Math.log(1 - random.next()) / Math.log(1 - 1 / mean));
}

/** Box and Muller, "A note on the generation of random normal deviates", 1958. */
function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** A beta variable with the given mean. `size` is the sum of its two parameters. */
function drawBeta(random: Random, mean: number, size: number): number {
  const [x, y] = [drawGamma(random, mean * size), drawGamma(random, (1 - mean) * size)];
  return x + y > 0 ? x / (x + y) : Number(random.chance(mean));
}

/** Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000). */
function drawGamma(random: Random, shape: number): number {
  if (shape < 1) return drawGamma(random, shape + 1) * (1 - random.next()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = drawNormal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random.next()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

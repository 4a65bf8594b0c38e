/** The sample ratio check: whether the players per group fit the planned shares, and what the check can see. */
import { sum } from "./averages.ts";
import { countLeading } from "./bisect.ts";
import { chiSquareCritical, chiSquareTail, noncentralChiSquareTail } from "./chi-square.ts";

/** Significance level of the sample ratio check. It is low because the check is repeated with every comparison. */
export const SAMPLE_RATIO_ALPHA = 0.001;
/** Minimum expected players in the smallest group for the chi-square approximation. */
export const MIN_EXPECTED_PLAYERS = 8;

/** What the check can see if one group loses players. */
export interface SampleRatioSensitivity {
  /** Share of the players of one group, 0 to 1. */
  readonly loss: number;
  /** The probability of a warning at this loss. */
  readonly power: number;
  /** The smallest loss that causes a warning with a probability of 80%. Null if none does. */
  readonly detectableLoss: number | null;
}

export interface SampleRatio {
  readonly chiSquare: number;
  readonly pValue: number;
  /** Expected players per group. */
  readonly expected: number[];
  /** Whether the p-value is below SAMPLE_RATIO_ALPHA, with enough players. */
  readonly warning: boolean;
  readonly sensitivity: SampleRatioSensitivity;
}

/**
 * Pearson's chi-square test (1900) of the players per group against the shares, 0 to 1, that they should have of all
 * players, in the same order. Null for fewer than two groups, and if nobody is expected in one. For the causes of a warning, see Fabijan et al., "Diagnosing sample ratio mismatch in online
 * controlled experiments", 2019.
 */
export function checkSampleRatio(shares: readonly number[], players: readonly number[]): SampleRatio | null {
  const total = sum(players);
  const expected = shares.map((share) => share * total);
  if (shares.length < 2 || expected.some((count) => count <= 0)) return null;
  const chiSquare = sum(expected.map((count, at) => ((players[at] ?? 0) - count) ** 2 / count));
  const pValue = chiSquareTail(chiSquare, shares.length - 1);
  const enough = Math.min(...expected) >= MIN_EXPECTED_PLAYERS;
  const sensitivity = computeSensitivity(expected);
  return { chiSquare, pValue, expected, warning: enough && pValue < SAMPLE_RATIO_ALPHA, sensitivity };
}

/** The loss whose power is reported: 5% of the players of one group. */
export const REPORTED_LOSS = 0.05;
/** The power at which a loss counts as detectable. */
const DETECTABLE_POWER = 0.8;

/** What the check can see with this many players, if one group loses players: the group whose loss is hardest to see. */
function computeSensitivity(expected: readonly number[]): SampleRatioSensitivity {
  const canWarn = Math.min(...expected) >= MIN_EXPECTED_PLAYERS;
  const power = (loss: number) => (canWarn ? computeLossPower(expected, loss) : 0);
  return { loss: REPORTED_LOSS, power: power(REPORTED_LOSS), detectableLoss: findDetectableLoss(power) };
}

/**
 * The probability of a warning if one group lost this share of its players: the power of Pearson's test (Cohen,
 * "Statistical power analysis for the behavioral sciences", 1988, chapter 7).
 */
function computeLossPower(expected: readonly number[], loss: number): number {
  const total = sum(expected);
  const degrees = expected.length - 1;
  const critical = chiSquareCritical(SAMPLE_RATIO_ALPHA, degrees);
  const powers = expected.map((_, loser) => {
    const remaining = expected.map((count, at) => (at === loser ? count * (1 - loss) : count));
    const scale = total / sum(remaining);
    const noncentrality = sum(
      expected.map((count, at) => ((remaining[at] ?? 0) * scale - count) ** 2 / count),
    );
    return noncentralChiSquareTail(critical, degrees, noncentrality);
  });
  return Math.min(...powers);
}

/** The smallest detectable loss in steps of 0.1%. Null if not even the loss of all players is detectable. */
function findDetectableLoss(power: (loss: number) => number): number | null {
  if (power(1) < DETECTABLE_POWER) return null;
  return countLeading(1000, (at) => power(at / 1000) < DETECTABLE_POWER) / 1000;
}

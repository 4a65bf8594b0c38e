/** What the comparison of an experiment shows, in the words that the terminal and the console share. */

import {
  type ComparedVariant,
  type ExperimentVerdict,
  type GuardResult,
  titledScorecardRow,
  type VariantComparison,
  type VariantScorecard,
} from "../contract/experiments.ts";
import type { TitledRow } from "../scorecard/titled-rows.ts";
import { ownValue } from "../shared/own-value.ts";
import { formatCount } from "../shared/words.ts";
import { describeOutcomes, selectShown } from "./scorecard.ts";

/** What to do about an experiment, in a few words and why. */
export interface VerdictAnswer {
  readonly decision: string;
  readonly mark: string;
  readonly tone: "good" | "bad" | "strong";
  readonly reason: string;
}

const answers: Readonly<Record<string, Pick<VerdictAnswer, "mark" | "tone">>> = {
  ship: { mark: "✓", tone: "good" },
  stop: { mark: "■", tone: "bad" },
};

export function answerExperiment({ verdict }: VariantComparison): VerdictAnswer {
  if (verdict == null) {
    return { decision: "not judged", mark: "?", tone: "strong", reason: "this service reports no verdict" };
  }
  const { decision, reason } = verdict;
  return { decision, reason, ...(ownValue(answers, decision) ?? { mark: "◐", tone: "strong" }) };
}

/** Whether no variant has players, so that there is nothing to compare. */
export const hasNoPlayers = ({ variants }: VariantComparison) =>
  variants.every(({ sessionCount, playerCount }) => sessionCount === 0 && (playerCount ?? 0) === 0);

export const describeNoPlayers = (name: string) =>
  `Experiment ${name} has no players yet, so there is nothing to compare.`;

/** The experiment with its game: `Lanterns on the ash bridge · ember`. */
export const describeExperiment = ({ name, experimentId, game, gameId }: VariantComparison): string =>
  `${name ?? experimentId} · ${game ?? gameId}`;

/** One figure of all variants. */
export interface Figure {
  readonly label: string;
  /** One value for each variant; null if there is none. */
  readonly values: readonly (string | null)[];
  /** The change from the first of two variants; null if there are more. */
  readonly change: string | null;
  readonly note: string | null;
}

/** The figures that the verdict rests on. */
export function listFigures(comparison: VariantComparison): Figure[] {
  const { variants } = comparison;
  const returns = variants.map((variant) => findRetention(1, variant)?.rate ?? null);
  const crashes = variants.map(({ sessionCount, crashRate }) => (sessionCount > 0 ? crashRate : null));
  return [
    {
      label: "Players",
      values: variants.map(({ playerCount, sessionCount }) => formatNumber(playerCount ?? sessionCount)),
      change: null,
      note: null,
    },
    {
      label: "Back on day 1",
      values: returns.map((rate) => formatPercent(rate, 0)),
      change: formatChange(returns, 0),
      note: describeReturns(comparison),
    },
    {
      label: "Crashes",
      values: crashes.map((rate) => formatPercent(rate, 1)),
      change: formatChange(crashes, 1),
      note: describeCrashes(comparison),
    },
  ];
}

/** The retention of a day; undefined if no player is eligible yet. */
export function findRetention(day: number, { retention }: ComparedVariant) {
  return retention.find((entry) => entry.day === day && entry.eligible > 0);
}

function describeReturns({ verdict, variants, differences }: VariantComparison): string | null {
  if (verdict == null) return null;
  const { lead } = verdict;
  if (lead != null) {
    const [control] = variants;
    const who = variants.length > 2 ? `${lead.variant} is ` : "";
    const where = variants.length === 2 && lead.variant === control?.key ? "behind" : "ahead";
    return `${who}${where}${lead.early ? ", early: expect less" : ""}`;
  }
  const isKnown = differences?.some(({ metric, interval }) => metric === "retention-1" && interval != null);
  return isKnown ? "no clear difference" : "too few players";
}

/** Which rise of the crash rate is ruled out. The margin is the same for all variants. */
function describeCrashes({ verdict, variants }: VariantComparison): string | null {
  const guards = verdict?.guards ?? [];
  const [first] = guards;
  if (first === undefined) return null;
  const name = (some: readonly GuardResult[]) =>
    variants.length > 2 ? ` in ${some.map(({ variant }) => variant).join(", ")}` : "";
  const worse = guards.filter(({ status, safe }) => status === "worse" && !safe);
  if (worse.length > 0) return `worse${name(worse)}`;
  const unsafe = guards.filter(({ safe }) => !safe);
  const most = formatPercent((variants[0]?.crashRate ?? 0) + first.margin, 1);
  return `a rise above ${most} is ${unsafe.length === 0 ? "ruled out" : `not ruled out${name(unsafe)}`}`;
}

/** The rows of a scorecard that matter: worse, better, or to watch. */
export const selectRows = (scorecard: VariantScorecard, comparison: VariantComparison) => {
  const players = (key: string) =>
    comparison.variants.find((variant) => variant.key === key)?.playerCount ?? 0;
  const side = (version: string) => ({ version, testers: players(version), ended: null, analyzed: null });
  const { baseline, variant } = scorecard;
  const rows = listRows(scorecard);
  return selectShown({
    ...{ game: "", environment: "", rows, isTested: true, scorecard: null },
    ...{ a: side(baseline), b: side(variant) },
  });
};

/** The rows without those of a newer service that this version does not know. */
export const listRows = ({ rows }: VariantScorecard): TitledRow[] =>
  rows.flatMap((row) => {
    const known = titledScorecardRow.safeParse(row);
    return known.success ? [{ ...known.data, kind: null }] : [];
  });

/** Ratings and completed rooms of two variants, and what is not shown. */
export function describeRest(scorecard: VariantScorecard, shown: number): string[] {
  const rows = listRows(scorecard);
  const rest = rows.length - shown;
  if (rows.length === 0) return [];
  return [
    ...(shown === 0 ? ["friction, quits and ratings: no clear difference"] : []),
    ...describeOutcomes({ rows }),
    ...(rest > 0 ? [formatCount(rest, "more row")] : []),
  ];
}

/** How many players are enough; null if there are enough, or if there is no verdict. */
export function describeNeeded({ variants, verdict }: VariantComparison): string | null {
  if (verdict?.decision !== "keep running") return null;
  const needed = verdict.playersNeeded;
  const isEnough = variants.every(
    (variant, at) => (findRetention(1, variant)?.eligible ?? 0) >= (needed[at] ?? 0),
  );
  return isEnough ? null : `Enough players: about ${formatNeeded(variants, verdict)}`;
}

function formatNeeded(variants: readonly ComparedVariant[], { playersNeeded }: ExperimentVerdict): string {
  const rounded = playersNeeded.map((count) => formatNumber(Number(count.toPrecision(2))));
  return new Set(rounded).size === 1
    ? `${rounded[0]} per variant`
    : variants.map(({ key }, at) => `${rounded[at]} in ${key}`).join(", ");
}

/** What the sample ratio check can notice; null if the service does not report it. */
export function describeSensitivity({ sampleRatio, variants }: VariantComparison): string | null {
  const { detectableLoss } = sampleRatio?.sensitivity ?? {};
  if (detectableLoss === undefined) return null;
  const players = variants.reduce((sum, { playerCount }) => sum + (playerCount ?? 0), 0);
  const finds =
    detectableLoss === null
      ? "lost players cannot be detected"
      : `a loss of ${formatPercent(detectableLoss, 0)} of a variant's players is noticed in 80% of cases`;
  return `With ${formatNumber(players)} ${players === 1 ? "player" : "players"}, ${finds}.`;
}

const formatNumber = (count: number) => count.toLocaleString("en-US");

const formatPercent = (share: number | null, digits: number) =>
  share === null ? null : `${(share * 100).toFixed(digits)}%`;

function formatChange([a = null, b = null, ...more]: readonly (number | null)[], digits: number) {
  if (a === null || b === null || more.length > 0) return null;
  const points = Number(((b - a) * 100).toFixed(digits)) || 0;
  return `${points > 0 ? "+" : ""}${points.toFixed(digits)} pts`;
}

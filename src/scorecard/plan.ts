/** What a scorecard can notice, and how many testers a playtest needs to find more. */
import { binomialTail } from "../statistics/binomial.ts";
import {
  findNoticedCount,
  findTestersPerGroup,
  type PlannedFamily,
  type PlannedRow,
} from "../statistics/family-power.ts";
import { DEFAULT_OPTIONS } from "./options.ts";
import type { ScorecardRow } from "./rows.ts";
import type { FamilySummary, Scorecard } from "./scorecard.ts";

/** The increase to find, as a share from 0 to 1, and the probability with which it must be found. */
export interface PlanOptions {
  readonly increase: number;
  readonly power: number;
}

/**
 * The number of testers of each of two builds that finds an increase of a row from its share in a, if the next playtest is
 * like this one; null if no number does, or the row is not a share of which more is worse.
 */
export function planTesters(scorecard: Scorecard, row: ScorecardRow, options: PlanOptions): number | null {
  const family = findFamily(scorecard, row);
  if (family === undefined || row.unit !== "share" || row.worse !== "more") return null;
  const planned = { ...describeRow(scorecard, row), share: row.a.value ?? 0 };
  const rows = listPlanned(scorecard, family);
  return findTestersPerGroup({ rows, level: family.level }, { row: planned, limit: 0, ...options });
}

/** A problem that no tester of a has, and the testers who must have it. */
export interface NewProblem {
  /** The share of testers who have it, from 0 to 1. */
  readonly share: number;
  /** The largest share that does not matter. */
  readonly limit: number;
  /** The probability with which it must be found. */
  readonly power: number;
}

/** How well a new problem is found. */
export interface Detection {
  /** The smallest number of testers of b with it that would be called worse; null if not even all of them would be. */
  readonly noticed: number | null;
  /** The probability that it is found. */
  readonly power: number;
  /** The number of testers of each of two builds that finds it; null if no number does. */
  readonly testersPerGroup: number | null;
}

/** Measures how well friction that everybody can meet, and no tester of a met, is found by a scorecard like this one. */
export function measureDetection(scorecard: Scorecard, { share, limit, power }: NewProblem): Detection {
  const { onlyA, onlyB, both, comparesPairsOnly } = scorecard.testers;
  const family = scorecard.families.find(({ metrics }) => metrics.includes("friction"));
  const [totalA, totalB] = comparesPairsOnly ? [both, both] : [onlyA + both, onlyB + both];
  if (family === undefined) return { noticed: null, power: 0, testersPerGroup: null };
  const least = findNoticedCount({ countA: 0, totalA, totalB }, (pValue) => pValue <= family.criticalOfNew);
  const above = Math.floor(limit * totalB + 1e-9) + 1;
  const noticed = least === null || above > totalB ? null : Math.max(least, above);
  const planned = { rows: listPlanned(scorecard, family), level: family.level };
  return {
    noticed,
    power: noticed === null ? 0 : binomialTail(totalB, share, noticed),
    testersPerGroup: planNewProblem(planned, { share, limit, power }),
  };
}

/** The number of testers of each group that finds one more problem, beside the rows of a family; null if no number does. */
const planNewProblem = ({ rows, level }: PlannedFamily, { share, limit, power }: NewProblem) =>
  findTestersPerGroup(
    { rows: [...rows, { counted: 1, share: share / 2 }], level },
    { row: { counted: 1, share: 0 }, increase: share, power, limit },
  );

/** The number of tags that are assumed before there are builds, and the shares of testers with each: evenly spaced. */
export const ASSUMED_TAGS = 20;
const [MIN_SHARE, MAX_SHARE] = [0.05, 0.4];

/** The number of testers of each of two builds of which nothing is known that finds a new problem; null if no number does. */
export function planFirstPlaytest(problem: NewProblem, tags = ASSUMED_TAGS): number | null {
  const { level, families } = DEFAULT_OPTIONS;
  const rows = Array.from({ length: tags }, (_, at) => ({
    counted: 1,
    share: MIN_SHARE + ((MAX_SHARE - MIN_SHARE) * at) / Math.max(1, tags - 1),
  }));
  return planNewProblem({ rows, level: level / families.length }, problem);
}

export const findFamily = ({ families }: Scorecard, { name }: ScorecardRow) =>
  families.find(({ metrics }) => metrics.includes(name));

/** The tested rows of a family. */
const listPlanned = (scorecard: Scorecard, { metrics }: FamilySummary): PlannedRow[] =>
  scorecard.rows
    .filter((row) => metrics.includes(row.name) && isTested(row))
    .map((row) => describeRow(scorecard, row));

const isTested = ({ status, isNewRoom, unit }: ScorecardRow) =>
  status !== "not comparable" && !isNewRoom && unit === "share";

function describeRow({ testers }: Scorecard, { a, b }: ScorecardRow): PlannedRow {
  const all = testers.onlyA + testers.onlyB + 2 * testers.both;
  const counted = a.total + b.total;
  return {
    counted: all === 0 ? 0 : counted / all,
    share: counted === 0 ? 0 : ((a.count ?? 0) + (b.count ?? 0)) / counted,
  };
}

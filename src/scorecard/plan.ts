/** How many testers a playtest needs to find that an outcome of a scorecard has become more frequent. */
import { findTestersPerGroup, type PlannedRow } from "../statistics/family-power.ts";
import type { ScorecardRow } from "./rows.ts";
import type { Scorecard } from "./scorecard.ts";

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
  const rows = scorecard.rows.filter((one) => isTested(one) && findFamily(scorecard, one) === family);
  return findTestersPerGroup(
    { rows: rows.map((one) => describeRow(scorecard, one)), level: family.level },
    { row: { ...describeRow(scorecard, row), share: row.a.value ?? 0 }, ...options },
  );
}

export const findFamily = ({ families }: Scorecard, { name }: ScorecardRow) =>
  families.find(({ metrics }) => metrics.includes(name));

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

/** A linear cost model: the cost of a workload is the sum of its amounts, each times a unit cost that is fitted. */

/** What a workload contains. */
export const amounts = ["sessions", "requests", "events", "positions"] as const;
export type Amount = (typeof amounts)[number];
export type Workload = Readonly<Record<Amount, number>>;

/** The cost of one unit of each amount. */
export type UnitCosts = Readonly<Record<Amount, number>>;

/** A workload with its measured cost. */
export interface Point {
  readonly workload: Workload;
  readonly cost: number;
}

/**
 * Fits unit costs by least squares over relative errors, so that small workloads count as much as large ones. No unit cost is
 * negative: a cost that would be is 0, and the others are fitted again.
 */
export function fitUnitCosts(points: readonly Point[]): UnitCosts {
  let fitted: Amount[] = [...amounts];
  for (;;) {
    const costs = solveLeastSquares(
      points.map(({ workload, cost }) => fitted.map((name) => workload[name] / cost)),
      points.map(() => 1),
    );
    const positive = fitted.filter((_, at) => (costs[at] ?? 0) >= 0);
    if (positive.length === fitted.length)
      return Object.fromEntries(amounts.map((name) => [name, costs[fitted.indexOf(name)] ?? 0])) as Record<
        Amount,
        number
      >;
    fitted = positive;
  }
}

/** The cost of a workload. */
export function predictCost(unitCosts: UnitCosts, workload: Workload): number {
  return amounts.reduce((sum, name) => sum + unitCosts[name] * workload[name], 0);
}

/** Fits cost = fixed + perUnit · size by least squares over relative errors. */
export function fitLine(points: readonly (readonly [size: number, cost: number])[]): {
  readonly fixed: number;
  readonly perUnit: number;
} {
  const [fixed = 0, perUnit = 0] = solveLeastSquares(
    points.map(([size, cost]) => [1 / cost, size / cost]),
    points.map(() => 1),
  );
  return { fixed, perUnit };
}

/** The x that minimizes |rows · x - values|², by the normal equations. Throws if the rows do not determine x. */
function solveLeastSquares(rows: readonly (readonly number[])[], values: readonly number[]): number[] {
  const width = rows[0]?.length ?? 0;
  const columns = Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? 0));
  const matrix = columns.map((left) => [
    ...columns.map((right) => multiply(left, right)),
    multiply(left, values),
  ]);
  for (let at = 0; at < width; at += 1) eliminate(matrix, at);
  return matrix.map((row) => row[width] ?? 0);
}

/** Makes one column of a matrix that of the unit matrix (Gauss-Jordan elimination). */
function eliminate(matrix: number[][], at: number): void {
  const candidates = matrix.slice(at);
  const pivot = candidates.reduce((best, row) =>
    Math.abs(row[at] ?? 0) > Math.abs(best[at] ?? 0) ? row : best,
  );
  const divisor = pivot[at] ?? 0;
  if (divisor === 0) throw new RangeError("The measured workloads do not determine the unit costs");
  const from = matrix.indexOf(pivot);
  [matrix[at], matrix[from]] = [pivot, matrix[at] ?? []];
  for (const [index, row] of matrix.entries()) {
    const factor = index === at ? 0 : (row[at] ?? 0) / divisor;
    if (factor !== 0) matrix[index] = row.map((value, column) => value - factor * (pivot[column] ?? 0));
  }
  matrix[at] = pivot.map((value) => value / divisor);
}

const multiply = (left: readonly number[], right: readonly number[]) =>
  left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);

/** Shares the width of a terminal among the columns of a table. */

export interface ColumnDemand {
  /** Columns that the widest cell takes. */
  readonly natural: number;
  /** Columns that the header takes. */
  readonly header: number;
  /** Priority of being cut, the highest first; null for never. */
  readonly shrink: number | null;
}

/** A column is not cut below this, so that what is left still says something. */
const MIN_COLUMN_WIDTH = 8;

/**
 * The width of each column so that they fit `available` columns together.
 * Those of the highest priority give first, the widest of them most. Where it cannot be done the result is
 * wider than available: lines wrap, and no column is lost.
 */
export function fitColumns(demands: readonly ColumnDemand[], available: number): number[] {
  const widths = demands.map((demand) => demand.natural);
  const priorities = [...new Set(demands.flatMap((demand) => demand.shrink ?? []))].sort((a, b) => b - a);
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  for (const priority of priorities) {
    const members = [...demands.keys()].filter((at) => demands[at]?.shrink === priority);
    while (excess > 0) {
      const widest = widestAbove(members, widths, demands);
      if (widest === null) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
      excess -= 1;
    }
  }
  return widths;
}

/** The widest member that may still give a column; null when none may. */
function widestAbove(
  members: readonly number[],
  widths: readonly number[],
  demands: readonly ColumnDemand[],
): number | null {
  let widest: number | null = null;
  for (const at of members) {
    const width = widths[at] ?? 0;
    if (width <= Math.max(MIN_COLUMN_WIDTH, demands[at]?.header ?? 0)) continue;
    if (widest === null || width > (widths[widest] ?? 0)) widest = at;
  }
  return widest;
}

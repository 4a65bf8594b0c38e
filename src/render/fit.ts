/** Divides the width of a terminal among the columns of a table. */

export interface ColumnDemand {
  /** Width of the widest cell. */
  readonly natural: number;
  /** The column is not truncated below this width. */
  readonly min: number;
  /** Priority for truncating the column, highest first; null for never. */
  readonly shrink: number | null;
}

/**
 * The widths of the columns so that together they fit into `available`. Columns with the highest priority shrink first,
 * starting with the widest. If that is not enough, the result is wider than available.
 */
export function fitColumns(demands: readonly ColumnDemand[], available: number): number[] {
  const widths = demands.map((demand) => demand.natural);
  const priorities = [...new Set(demands.flatMap((demand) => demand.shrink ?? []))].sort((a, b) => b - a);
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  for (const priority of priorities) {
    const members = [...demands.keys()].filter((index) => demands[index]?.shrink === priority);
    while (excess > 0) {
      const widest = widestAbove(members, widths, demands);
      if (widest === null) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
      excess -= 1;
    }
  }
  return widths;
}

/** The widest member that may still shrink; null if none may. */
function widestAbove(
  members: readonly number[],
  widths: readonly number[],
  demands: readonly ColumnDemand[],
): number | null {
  let widest: number | null = null;
  for (const index of members) {
    const width = widths[index] ?? 0;
    if (width <= (demands[index]?.min ?? 0)) continue;
    if (widest === null || width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}

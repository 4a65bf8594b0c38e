/** The changes of positions between two builds, room by room. */
import { cellRows } from "./cell-rows.ts";
import { buildDifferenceView } from "./heatmap.ts";
import type { BuildHeatmap, HeatmapView } from "./heatmap-view.ts";

/** The view of the difference, and its JSON with the change of every cell that has positions. */
export function compareHeatmaps(
  a: BuildHeatmap,
  b: BuildHeatmap,
  about: string,
  notes: readonly string[],
): { view: HeatmapView; data: unknown } {
  const view = buildDifferenceView(a, b, about, notes);
  const cells = cellRows(view);
  const rooms = view.rooms.map(({ room, bounds, cellsX, cellsY, ...rest }) => ({
    room,
    bounds,
    cellsX,
    cellsY,
    positionsA: rest.before,
    positionsB: rest.unknown === "b" ? null : rest.total,
    missing: rest.missing,
    unknown: rest.unknown,
    exact: rest.exact,
    resampled: rest.resampled,
    most: rest.unknown === null && rest.missing === null ? rest.most : null,
    cells: cells.filter((cell) => cell.room === room).map(({ x, y, count }) => ({ x, y, change: count })),
  }));
  return { view, data: { game: b.heatmap.game, a: a.build, b: b.build, rooms } };
}

/** Ranks the cells of a heatmap, for programs and for readers who cannot see the drawing. */
import type { HeatmapView, RoomBounds, RoomView } from "./heatmap-view.ts";

export interface RankedCell extends RoomBounds {
  readonly room: string;
  /** Density: positions in the cell; null in a difference. */
  readonly positions: number | null;
  /** Density: the cell's share of all positions, 0..1; null in a difference. */
  readonly share: number | null;
  /** Difference: the cell's share of b's positions in its room minus its share of a's, -1..1; null in a density. */
  readonly change: number | null;
}

/**
 * Returns at most `limit` cells, ordered by positions or by absolute change. Ties keep the order of rooms, then rows,
 * then columns. Cells without positions and cells that did not change are omitted.
 */
export function densestCells(view: HeatmapView, limit: number): RankedCell[] {
  const total = view.positions + view.notShown;
  const candidates = view.rooms.flatMap((room) =>
    room.counts.flatMap((count, at) => (count === null || count === 0 ? [] : [{ room, at, count }])),
  );
  candidates.sort((a, b) => Math.abs(b.count) - Math.abs(a.count));
  return candidates.slice(0, limit).map(({ room, at, count }) => ({
    room: room.room,
    ...cellBounds(room, at),
    ...(view.kind === "density"
      ? { positions: count, share: total > 0 ? count / total : 0, change: null }
      : { positions: null, share: null, change: count }),
  }));
}

/** The extent of the cell with this index in `values`, in world units. */
export function cellBounds({ bounds, cellsX, cellsY }: RoomView, at: number): RoomBounds {
  const [x, y] = [at % cellsX, Math.floor(at / cellsX)];
  return {
    xMin: interpolate(bounds.xMin, bounds.xMax, x / cellsX),
    xMax: interpolate(bounds.xMin, bounds.xMax, (x + 1) / cellsX),
    yMin: interpolate(bounds.yMin, bounds.yMax, y / cellsY),
    yMax: interpolate(bounds.yMin, bounds.yMax, (y + 1) / cellsY),
  };
}

/** Exact at both ends, and safe from overflow when max - min exceeds the range of doubles. */
function interpolate(min: number, max: number, share: number): number {
  return share === 1 ? max : min * (1 - share) + max * share;
}

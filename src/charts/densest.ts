/** A heatmap's cells as a list, those that matter most first: for readers who see no picture, and for programs. */
import type { HeatmapView, RoomBounds, RoomView } from "./heatmap-view.ts";

export interface RankedCell extends RoomBounds {
  readonly room: string;
  /** Density: positions in the cell; null in a difference. */
  readonly positions: number | null;
  /** Density: the cell's part of all positions, 0..1; null in a difference. */
  readonly share: number | null;
  /** Difference: the cell's share of b's positions in its room less its share of a's, -1..1; null in a density. */
  readonly change: number | null;
}

/**
 * The first `limit` cells: by positions, or by how much they changed either way. Alike ones stay in the order of rooms,
 * then rows, then columns. Cells where nobody was are left out, and in a difference those that did not change.
 */
export function densestCells(picture: HeatmapView, limit: number): RankedCell[] {
  const all = picture.positions + picture.notShown;
  const found = picture.rooms.flatMap((room) =>
    room.counts.flatMap((count, at) => (count === null || count === 0 ? [] : [{ room, at, count }])),
  );
  found.sort((a, b) => Math.abs(b.count) - Math.abs(a.count));
  return found.slice(0, limit).map(({ room, at, count }) => ({
    room: room.room,
    ...cellBounds(room, at),
    ...(picture.kind === "density"
      ? { positions: count, share: all > 0 ? count / all : 0, change: null }
      : { positions: null, share: null, change: count }),
  }));
}

/** The extent of the cell at a place of `values`, in world units; a room without extent has that of its cells. */
export function cellBounds({ bounds, cellsX, cellsY }: RoomView, at: number): RoomBounds {
  const [x, y] = [at % cellsX, Math.floor(at / cellsX)];
  return {
    xMin: interpolate(bounds.xMin, bounds.xMax, x / cellsX),
    xMax: interpolate(bounds.xMin, bounds.xMax, (x + 1) / cellsX),
    yMin: interpolate(bounds.yMin, bounds.yMax, y / cellsY),
    yMax: interpolate(bounds.yMin, bounds.yMax, (y + 1) / cellsY),
  };
}

/** Exact at both ends, and within the range of doubles where their difference is not. */
function interpolate(min: number, max: number, share: number): number {
  return share === 1 ? max : min * (1 - share) + max * share;
}

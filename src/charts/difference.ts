/** Compares the rooms of two builds cell by cell, on common bounds. */
import type { HeatmapRoom } from "../contract/heatmaps.ts";
import { densityRoom } from "./density.ts";
import { countGrid, type Grid, MAX_CELLS } from "./grid.ts";
import { type BuildHeatmap, plainRoom, type RoomBounds, type RoomView } from "./heatmap-view.ts";

/** Returns b's rooms in their order, followed by the rooms that only a has. */
export function differenceRooms(
  { heatmap: { rooms: a }, unknown: unknownInA }: Omit<BuildHeatmap, "build">,
  { heatmap: { rooms: b }, unknown: unknownInB }: Omit<BuildHeatmap, "build">,
): RoomView[] {
  const before = new Map(a.map((room) => [room.room, room]));
  const after = new Set(b.map(({ room }) => room));
  return [
    ...b.map((room) => {
      const earlier = before.get(room.room);
      if (unknownInA.has(room.room)) return uncomparedRoom(room, "a");
      return earlier === undefined ? singleRoom(room, "a") : differenceRoom(earlier, room);
    }),
    ...a
      .filter(({ room }) => !after.has(room))
      .map((room) => (unknownInB.has(room.room) ? uncomparedRoom(room, "b") : singleRoom(room, "b"))),
  ];
}

/** A room that cannot be compared, because the service returned no data about it for the other build. */
const uncomparedRoom = (room: HeatmapRoom, unknown: "a" | "b"): RoomView => ({
  ...blankRoom(room),
  total: unknown === "b" ? 0 : room.totalEvents,
  before: unknown === "a" ? null : room.totalEvents,
  unknown,
});

/** A room that only one build has. It has no changes, but its positions can be drawn. */
const singleRoom = (room: HeatmapRoom, missing: "a" | "b"): RoomView => ({
  ...blankRoom(room),
  total: missing === "b" ? 0 : room.totalEvents,
  before: missing === "a" ? 0 : room.totalEvents,
  missing,
  single: densityRoom(room),
});

/** A room without changes. */
function blankRoom({ room, bounds, yUp = false, ...size }: HeatmapRoom) {
  const [cellsX, cellsY] = [Math.min(size.cellsX, MAX_CELLS), Math.min(size.cellsY, MAX_CELLS)];
  const blank = new Array<null>(cellsX * cellsY).fill(null);
  return {
    ...plainRoom,
    ...{ room, bounds, yUp, cellsX, cellsY, values: blank, counts: blank, most: 0 },
  };
}

/** Compares one room that both builds have. */
function differenceRoom(a: HeatmapRoom, b: HeatmapRoom): RoomView {
  const grids = [countGrid(a), countGrid(b)] as const;
  const common = commonGrid(grids);
  const [shareA, shareB] = grids.map((grid) => toShares(resample(grid, common)));
  const counts = Array.from({ length: common.cellsX * common.cellsY }, (_, at) => {
    const [left, right] = [shareA?.[at] ?? 0, shareB?.[at] ?? 0];
    return left === 0 && right === 0 ? null : right - left;
  });
  const most = counts.reduce<number>((largest, value) => Math.max(largest, Math.abs(value ?? 0)), 0);
  return {
    ...plainRoom,
    room: b.room,
    ...common,
    yUp: b.yUp ?? false,
    values: counts.map((value) => (value === null || most === 0 ? value : value / most)),
    counts,
    most,
    total: b.totalEvents,
    before: a.totalEvents,
    exact: grids.every(({ exact }) => exact),
    resampled: grids.some((grid) => !isSameFrame(grid, common)),
  };
}

type GridFrame = Pick<Grid, "bounds" | "cellsX" | "cellsY">;

/** The smallest bounds that contain all grids, with as many cells as the finest grid. */
function commonGrid(grids: readonly Grid[]): GridFrame {
  const each = (pick: (grid: Grid) => number) => grids.map(pick);
  return {
    bounds: {
      xMin: Math.min(...each(({ bounds }) => bounds.xMin)),
      xMax: Math.max(...each(({ bounds }) => bounds.xMax)),
      yMin: Math.min(...each(({ bounds }) => bounds.yMin)),
      yMax: Math.max(...each(({ bounds }) => bounds.yMax)),
    },
    cellsX: Math.max(...each(({ cellsX }) => cellsX)),
    cellsY: Math.max(...each(({ cellsY }) => cellsY)),
  };
}

function isSameFrame(a: GridFrame, b: GridFrame): boolean {
  const keys = ["xMin", "xMax", "yMin", "yMax"] as const satisfies ReadonlyArray<keyof RoomBounds>;
  return (
    a.cellsX === b.cellsX && a.cellsY === b.cellsY && keys.every((key) => a.bounds[key] === b.bounds[key])
  );
}

/**
 * Moves the grid's positions to the common grid. The positions of each cell are spread evenly over its area, so that a
 * common cell receives the share that it covers. The sum does not change. If both grids have the same bounds and size,
 * the counts do not change either.
 */
function resample(grid: Grid, common: GridFrame): readonly number[] {
  if (isSameFrame(grid, common)) return grid.counts;
  const [from, to] = [grid.bounds, common.bounds];
  const columns = findOverlaps([from.xMin, from.xMax], grid.cellsX, [to.xMin, to.xMax], common.cellsX);
  const rows = findOverlaps([from.yMin, from.yMax], grid.cellsY, [to.yMin, to.yMax], common.cellsY);
  const counts = new Array<number>(common.cellsX * common.cellsY).fill(0);
  for (const [at, count] of grid.counts.entries()) {
    if (count === 0) continue;
    for (const row of rows[Math.floor(at / grid.cellsX)] ?? []) {
      for (const column of columns[at % grid.cellsX] ?? []) {
        const target = row.cell * common.cellsX + column.cell;
        counts[target] = (counts[target] ?? 0) + count * row.part * column.part;
      }
    }
  }
  return counts;
}

type AxisRange = readonly [min: number, max: number];
interface Overlap {
  readonly cell: number;
  /** The share of the source cell that overlaps `cell`, 0..1. The shares of a source cell add up to 1. */
  readonly part: number;
}

/** Finds the common cells that each source cell overlaps along one axis. A source without extent is a point. */
function findOverlaps(from: AxisRange, cells: number, to: AxisRange, commonCells: number): Overlap[][] {
  // Halved, because the difference of two doubles may overflow.
  const toCommonCell = (value: number) =>
    to[1] > to[0] ? ((value / 2 - to[0] / 2) / (to[1] / 2 - to[0] / 2)) * commonCells : 0;
  const [start, end] = [toCommonCell(from[0]), toCommonCell(from[1])];
  return Array.from({ length: cells }, (_, at) =>
    findCellOverlaps(
      start + ((end - start) * at) / cells,
      start + ((end - start) * (at + 1)) / cells,
      commonCells,
    ),
  );
}

function findCellOverlaps(low: number, high: number, cells: number): Overlap[] {
  const first = Math.max(0, Math.min(cells - 1, Math.floor(low)));
  if (!(high > low)) return [{ cell: first, part: 1 }];
  const overlaps: Overlap[] = [];
  for (let cell = first; cell < cells && cell < high; cell += 1) {
    const part = (Math.min(high, cell + 1) - Math.max(low, cell)) / (high - low);
    if (part > 0) overlaps.push({ cell, part });
  }
  return overlaps;
}

function toShares(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => (total === 0 ? 0 : count / total));
}

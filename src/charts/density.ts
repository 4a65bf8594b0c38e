/** The view model of a room in one build: its positions per cell. */
import type { HeatmapRoom } from "../contract/heatmaps.ts";
import { countGrid, densityValues, type Grid } from "./grid.ts";
import { plainRoom, type RoomView } from "./heatmap-view.ts";

export function densityRoom(room: HeatmapRoom): RoomView {
  const grid = countGrid(room);
  return {
    ...plainRoom,
    room: room.room,
    bounds: room.bounds,
    yUp: room.yUp ?? false,
    cellsX: grid.cellsX,
    cellsY: grid.cellsY,
    values: densityValues(room, grid),
    counts: blankZeroCounts(grid),
    most: grid.counts.reduce((most, count) => Math.max(most, count), 0),
    total: room.totalEvents,
    exact: grid.exact,
  };
}

const blankZeroCounts = ({ counts }: Grid) => counts.map((count) => (count === 0 ? null : count));

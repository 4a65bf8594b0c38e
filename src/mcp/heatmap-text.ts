/** A heatmap as text: each room a small grid, from few positions to many. */
import type { Heatmap, HeatmapRoom } from "../contract/heatmaps.ts";
import { countGrid, type Grid } from "../pictures/grid.ts";
import { quoted } from "./plain-text.ts";

/** Columns and rows of a room's grid at most. */
const MAX_GRID = { columns: 32, rows: 18 } as const;
/** From few to many; a cell where nobody was is a blank. */
const RAMP = ".:-=+*#%@";

/** The rooms with the most positions, as many as fit in `chars`. */
export function heatmapText({ game, rooms, eventCount }: Heatmap, chars: number): string {
  const shown = rooms.reduce((sum, { totalEvents }) => sum + totalEvents, 0);
  const rest = eventCount > shown ? `; ${eventCount - shown} more in other rooms` : "";
  const head = [
    `game: ${quoted(game.name)}`,
    `positions: ${shown}, in ${rooms.length} room${rooms.length === 1 ? "" : "s"}${rest}`,
    `Each character is a cell, from few positions to many: ${RAMP} (logarithmic, room by room). y grows downwards.`,
  ].join("\n");
  let text = head;
  for (const [index, room] of rooms.entries()) {
    const drawn = `${text}\n\n${roomText(room)}`;
    if (drawn.length > chars - 80) return `${text}\n\nNot drawn: ${rooms.length - index} more rooms.`;
    text = drawn;
  }
  return text;
}

function roomText(room: HeatmapRoom): string {
  const { xMin, xMax, yMin, yMax } = room.bounds;
  const [left, right, top, bottom] = [xMin, xMax, yMin, yMax].map((value) => Math.round(value * 100) / 100);
  const grid = countGrid(room);
  return [
    `room ${quoted(room.room)}: ${room.totalEvents} positions, x ${left} to ${right}, y ${top} to ${bottom}`,
    ...drawGrid(grid).map((line) => `|${line}|`),
  ].join("\n");
}

/** The grid merged down to what is small, a line of text a row. */
function drawGrid({ cellsX, cellsY, counts }: Grid): string[] {
  const columns = Math.min(cellsX, MAX_GRID.columns);
  const rows = Math.min(cellsY, MAX_GRID.rows);
  const merged = new Array<number>(columns * rows).fill(0);
  for (const [at, count] of counts.entries()) {
    const column = Math.floor(((at % cellsX) * columns) / cellsX);
    const row = Math.floor((Math.floor(at / cellsX) * rows) / cellsY);
    merged[row * columns + column] = (merged[row * columns + column] ?? 0) + count;
  }
  const most = Math.log1p(merged.reduce((largest, count) => Math.max(largest, count), 0));
  const marks = merged.map((count) => pickCharacter(count === 0 ? 0 : Math.log1p(count) / most));
  return Array.from({ length: rows }, (_, row) => marks.slice(row * columns, (row + 1) * columns).join(""));
}

/** The character of an intensity, 0..1. */
function pickCharacter(intensity: number): string {
  if (intensity === 0) return " ";
  return RAMP[Math.min(RAMP.length - 1, Math.floor(intensity * RAMP.length))] ?? " ";
}

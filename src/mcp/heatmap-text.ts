/** Formats a heatmap as text: a small grid of characters for each room. */

import { countGrid, type Grid } from "../charts/grid.ts";
import { describeOmitted } from "../charts/heatmap-notes.ts";
import type { Heatmap, HeatmapRoom } from "../contract/heatmaps.ts";
import { DENSITY_RAMP } from "../render/heatmap/cells.ts";
import { quoted } from "./plain-text.ts";

/** The maximum size of a room's grid. */
const MAX_GRID = { columns: 32, rows: 18 } as const;

/** Formats as many rooms as fit in `chars` characters, starting with the ones with the most positions. */
export function heatmapText(heatmap: Heatmap, chars: number): string {
  const { game, rooms, eventCount, applied } = heatmap;
  const shown = rooms.reduce((sum, { totalEvents }) => sum + totalEvents, 0);
  const rest = eventCount > shown ? `; ${eventCount - shown} more in other rooms` : "";
  const head = [
    `game: ${quoted(game.name)}`,
    `positions: ${shown} in ${rooms.length} room${rooms.length === 1 ? "" : "s"}${rest}`,
    // Quoted, because game clients choose the names of events.
    ...describeOmitted(heatmap, { event: applied?.event, source: applied?.source }).map(quoted),
    `Each character is one cell, from few to many positions: ${DENSITY_RAMP} (logarithmic scale per room). y increases downward.`,
  ].join("\n");
  let text = head;
  for (const [index, room] of rooms.entries()) {
    const extended = `${text}\n\n${formatRoom(room)}`;
    const omitted = rooms.length - index;
    if (extended.length > chars - 80)
      return `${text}\n\nOmitted to fit max_chars: ${omitted} more room${omitted === 1 ? "" : "s"}.`;
    text = extended;
  }
  return text;
}

function formatRoom(room: HeatmapRoom): string {
  const { xMin, xMax, yMin, yMax } = room.bounds;
  const [left, right, top, bottom] = [xMin, xMax, yMin, yMax].map((value) => Math.round(value * 100) / 100);
  const grid = countGrid(room);
  return [
    `room ${quoted(room.room)}: ${room.totalEvents} positions, x ${left} to ${right}, y ${top} to ${bottom}`,
    ...drawGrid(grid).map((line) => `|${line}|`),
  ].join("\n");
}

/** Merges cells until the grid fits MAX_GRID. Returns one line of text per row. */
function drawGrid({ cellsX, cellsY, counts }: Grid): string[] {
  const columns = Math.min(cellsX, MAX_GRID.columns);
  const rows = Math.min(cellsY, MAX_GRID.rows);
  const merged = new Array<number>(columns * rows).fill(0);
  for (const [index, count] of counts.entries()) {
    const column = Math.floor(((index % cellsX) * columns) / cellsX);
    const row = Math.floor((Math.floor(index / cellsX) * rows) / cellsY);
    merged[row * columns + column] = (merged[row * columns + column] ?? 0) + count;
  }
  const max = Math.log1p(merged.reduce((largest, count) => Math.max(largest, count), 0));
  const characters = merged.map((count) => pickCharacter(count === 0 ? 0 : Math.log1p(count) / max));
  return Array.from({ length: rows }, (_, row) =>
    characters.slice(row * columns, (row + 1) * columns).join(""),
  );
}

/** Picks the character for an intensity from 0 to 1. */
function pickCharacter(intensity: number): string {
  if (intensity === 0) return " ";
  return DENSITY_RAMP[Math.min(DENSITY_RAMP.length - 1, Math.floor(intensity * DENSITY_RAMP.length))] ?? " ";
}

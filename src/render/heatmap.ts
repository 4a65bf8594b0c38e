/** Draws a heatmap: a picture a room, what it shows in a line, and the scale. */
import type { Heatmap, HeatmapRoom } from "../contract/heatmaps.ts";
import { shadingFor } from "./heat-cells.ts";
import { formatNumber, formatShare } from "./numbers.ts";
import type { RenderOptions } from "./options.ts";
import { drawPlot } from "./plot.ts";
import { painter } from "./style.ts";
import { cleanLine, displayWidth } from "./text.ts";
import { numberLabel } from "./ticks.ts";
import { wrapText } from "./wrap.ts";

/** The totals, each room in the order given, and the legend, ending in a line feed; without rooms only the totals. */
export function renderHeatmap(heatmap: Heatmap, options: RenderOptions): string {
  const { rooms, eventCount } = heatmap;
  const paint = painter(options);
  const shading = shadingFor(options);
  const lines = wrapText(totals(heatmap, options), lineWidth(options));
  for (const room of rooms) {
    lines.push("", ...heading(room, eventCount, options), ...drawPlot(room, shading, options));
  }
  if (rooms.length > 0) {
    const scale = `few 0 ${shading.scale()} 1 many`;
    const notes = wrapText(
      "Intensity is ln(1 + n) / ln(1 + most), each room against its own densest cell; blank is none.",
      lineWidth(options),
    );
    lines.push("", scale, ...notes.map((note) => paint(note, "muted")));
  }
  return `${lines.join("\n")}\n`;
}

const lineWidth = (options: RenderOptions) => (options.tty ? options.width : Number.POSITIVE_INFINITY);

function totals({ game, rooms, eventCount }: Heatmap, options: RenderOptions): string {
  const number = (value: number) => formatNumber(value, options);
  const counted = (value: number, noun: string) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
  const shown = rooms.reduce((sum, room) => sum + room.totalEvents, 0);
  const rest = eventCount - shown;
  const others = rest > 0 ? `; ${counted(rest, "more position")} in rooms not shown` : "";
  return `${cleanLine(game.name)}: ${counted(shown, "position")} in ${counted(rooms.length, "room")}${others}`;
}

/** The room's name and summary, on one line where they fit one. */
function heading(room: HeatmapRoom, eventCount: number, options: RenderOptions): string[] {
  const paint = painter(options);
  const name = cleanLine(room.room) || "(no name)";
  const about = summary(room, eventCount, options);
  const width = lineWidth(options);
  if (displayWidth(name) + 2 + displayWidth(about) <= width) {
    return [`${paint(name, "strong")}  ${paint(about, "muted")}`];
  }
  return [
    ...wrapText(name, width).map((line) => paint(line, "strong")),
    ...wrapText(about, width).map((line) => paint(line, "muted")),
  ];
}

function summary(room: HeatmapRoom, eventCount: number, options: RenderOptions): string {
  const share = eventCount > 0 ? ` (${formatShare(room.totalEvents / eventCount)} of all)` : "";
  const visited = formatShare(room.cells.length / (room.cellsX * room.cellsY));
  const noun = room.totalEvents === 1 ? "position" : "positions";
  const parts = [`${formatNumber(room.totalEvents, options)} ${noun}${share}`, `${visited} of cells visited`];
  const densest = densestPlace(room);
  return (densest === null ? parts : [...parts, `densest at ${densest}`]).join(", ");
}

/** The world coordinates in the middle of the densest cell, such as `x 120, y 40`; null without cells. */
function densestPlace({ cells, cellsX, cellsY, bounds }: HeatmapRoom): string | null {
  const first = cells[0];
  if (!first) return null;
  const densest = cells.reduce((most, cell) => (cell.intensity > most.intensity ? cell : most), first);
  const x = middleOf(densest.x, cellsX, bounds.xMin, bounds.xMax);
  const y = middleOf(densest.y, cellsY, bounds.yMin, bounds.yMax);
  return `x ${x}, y ${y}`;
}

function middleOf(cell: number, cells: number, min: number, max: number): string {
  const share = (Math.min(cell, cells - 1) + 0.5) / cells;
  return numberLabel(min * (1 - share) + max * share, max / cells - min / cells);
}

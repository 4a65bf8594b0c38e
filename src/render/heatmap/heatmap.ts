/** Draws a heatmap for a terminal, room by room, side by side in a wide terminal. */

import type { HeatmapView, RoomView } from "../../charts/heatmap-view.ts";
import { capitalize } from "../../shared/words.ts";
import { formatNumber } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { difference, getPalette, type PaletteName } from "../palettes/index.ts";
import { painter } from "../style.ts";
import { cleanLine, truncate } from "../text.ts";
import { createShading } from "./cells.ts";
import { type PaintedLine, sideBySide, wrapAndPaint } from "./lines.ts";
import { describeMarks } from "./marks.ts";
import { areAllResampled, drawRoom } from "./room.ts";

/** Minimum width of a terminal for rooms side by side. */
const MIN_SIDE_BY_SIDE_WIDTH = 100;
/** Columns for the labels of the axis, between rooms, and for the narrowest room. */
const ROOM_LAYOUT = { axis: 8, gap: 3, least: 38 } as const;

export interface HeatmapRenderOptions extends RenderOptions {
  /** Only for densities; differences have their own palette. */
  readonly palette?: PaletteName;
  /** Draws only the busiest room and names the others. `next` is the command that draws one of them; null for none. */
  readonly busiest?: { next(room: string): string | null };
}

/** The totals, the rooms in order, and an explanation of the scale, ending in a line feed. */
export function renderHeatmap(view: HeatmapView, options: HeatmapRenderOptions): string {
  const width = options.tty ? options.width : Number.POSITIVE_INFINITY;
  const paint = painter(options);
  const palette = view.kind === "difference" ? difference : getPalette(options.palette);
  const shading = createShading(palette, options);
  const ownShading = createShading(getPalette(options.palette), options);
  const lines: PaintedLine[] = [
    ...wrapAndPaint(describeTotals(view, options), width, paint),
    ...(describeMarks(view) === "" ? [] : wrapAndPaint(describeMarks(view), width, paint)),
    ...(view.notes.length === 0 ? [] : wrapAndPaint(describeNotes(view), width, paint, "muted")),
  ];
  const blank: PaintedLine = { text: "", width: 0 };
  const [first, ...others] = view.rooms.toSorted((x, y) => countBoth(y) - countBoth(x));
  const drawn = options.busiest && first ? { ...view, rooms: [first] } : view;
  const across = roomsAcross(drawn, options);
  const each = across === 1 ? width : Math.floor((width - ROOM_LAYOUT.gap * (across - 1)) / across);
  for (let from = 0; from < drawn.rooms.length; from += across) {
    const row = drawn.rooms.slice(from, from + across);
    const blocks = row.map((room) =>
      drawRoom(room, view, room.single === null ? shading : ownShading, each, options),
    );
    lines.push(blank, ...sideBySide(blocks, each, ROOM_LAYOUT.gap));
  }
  if (isAnyRoomDrawn(view)) lines.push(blank, ...wrapAndPaint(describeScale(drawn), width, paint, "muted"));
  if (options.busiest && others.length > 0)
    for (const text of describeOthers(others, options.busiest, options))
      lines.push(...wrapAndPaint(text, width, paint));
  return `${lines.map(({ text }) => text.trimEnd()).join("\n")}\n`;
}

/** Positions of a room, in a difference those of both builds. */
const countBoth = ({ total, before }: RoomView) => total + (before ?? 0);

/** At most this many rooms that are not drawn are named, in at most this many columns each. */
const NAMED_ROOMS = { count: 6, width: 24 } as const;

/** The rooms that are not drawn, with their positions, and how to draw them. */
function describeOthers(
  others: readonly RoomView[],
  { next }: NonNullable<HeatmapRenderOptions["busiest"]>,
  options: RenderOptions,
): string[] {
  const named = others
    .slice(0, NAMED_ROOMS.count)
    .map(
      (room) =>
        `${truncate(cleanLine(room.room), NAMED_ROOMS.width)} ${formatNumber(countBoth(room), options)}`,
    );
  const rest = others.length - named.length;
  const command = next(others[0]?.room ?? "");
  return [
    `Other rooms (--all): ${[...named, ...(rest > 0 ? [`${rest} more`] : [])].join(", ")}`,
    ...(command === null ? [] : [`One of them: ${cleanLine(command)}`]),
  ];
}

/** The number of rooms per row: always one for screen readers, which read line by line. */
function roomsAcross({ rooms }: HeatmapView, { tty, plain, width }: RenderOptions): number {
  if (!tty || plain || width < MIN_SIDE_BY_SIDE_WIDTH) return 1;
  const needed = Math.max(ROOM_LAYOUT.least, ...rooms.map(({ cellsX }) => cellsX + ROOM_LAYOUT.axis));
  return Math.max(
    1,
    Math.min(rooms.length, Math.floor((width + ROOM_LAYOUT.gap) / (needed + ROOM_LAYOUT.gap))),
  );
}

/** The notes about what the heatmap does not include, as one paragraph. */
export const describeNotes = ({ notes }: HeatmapView) => notes.map(cleanLine).join(" ");

/** Describes the filters and totals of a heatmap. */
export const describeTotals = (view: HeatmapView, options: Pick<RenderOptions, "tty">): string =>
  describeCounts(view, [cleanLine(view.game), cleanLine(view.about)], options);

/** Describes the filters and totals below a title that names the game. */
export const describeSubtitle = (view: HeatmapView, options: Pick<RenderOptions, "tty">): string =>
  capitalize(describeCounts(view, [cleanLine(view.about)], options));

function describeCounts(
  view: HeatmapView,
  subjects: readonly string[],
  options: Pick<RenderOptions, "tty">,
): string {
  const { sides, rooms, positions, notShown } = view;
  const number = (value: number) => formatNumber(value, options);
  const noun = (value: number, word: string) => `${word}${value === 1 ? "" : "s"}`;
  const subject = subjects.filter((part) => part !== "").join(", ");
  const of = subject === "" ? "" : `${subject}: `;
  const rest =
    notShown > 0 ? ` (${number(notShown)} more ${noun(notShown, "position")} in rooms not shown)` : "";
  const inRooms = `in ${number(rooms.length)} ${noun(rooms.length, "room")}${rest}`;
  if (sides === null) return `${of}${number(positions)} ${noun(positions, "position")} ${inRooms}`;
  const before = rooms.reduce((sum, room) => sum + (room.before ?? 0), 0);
  const [countA, countB] = [sideCount("a", before, view, number), sideCount("b", positions, view, number)];
  const unit = countA === UNKNOWN_COUNT ? "of positions" : `position${countA === number(1) ? "" : "s"}`;
  const [a, b] = [cleanLine(sides.a), cleanLine(sides.b)];
  return `${of}${countA} ${unit} in ${a}, ${countB} in ${b}, ${inRooms}`;
}

const UNKNOWN_COUNT = "an unknown number";

/** The number of positions of one build in a difference, if known. */
function sideCount(
  side: "a" | "b",
  known: number,
  { rooms }: HeatmapView,
  number: (value: number) => string,
): string {
  if (!rooms.some(({ unknown }) => unknown === side)) return number(known);
  return known === 0 ? UNKNOWN_COUNT : `at least ${number(known)}`;
}

/** Whether there are colors to explain. */
export const isAnyRoomDrawn = ({ rooms }: HeatmapView) => rooms.length > 0;

export function describeScale({ kind, rooms }: HeatmapView): string {
  if (kind === "path") return "Each room is drawn from the first position in it to the last one.";
  if (kind === "density") {
    return "The scale is logarithmic. Colors are scaled to the densest cell of each room.";
  }
  const single = rooms.some((room) => room.single !== null)
    ? [
        "A room of only one build is drawn as the map of that build: positions per cell, on a logarithmic scale.",
      ]
    : [];
  if (rooms.every((room) => room.single !== null)) return single.join("");
  const scale =
    "Change of each cell's share of the room's positions, in percentage points. Colors are scaled to the largest change of each room.";
  const where = areAllResampled(rooms) ? "" : " in some rooms";
  const spread = `Players covered different areas in the two builds${where}, so both maps are drawn on a common grid.`;
  const isSpread = rooms.some(({ resampled, missing }) => resampled && missing === null);
  return [scale, ...(isSpread ? [spread] : []), ...single].join(" ");
}

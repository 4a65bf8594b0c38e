/** One room of a heatmap: its name, what it shows in a line, the picture and its legend. */
import { cellBounds } from "../../pictures/densest.ts";
import type { Picture, RoomPicture } from "../../pictures/picture.ts";
import { formatNumber, formatShare } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { painter } from "../style.ts";
import { cleanLine, displayWidth } from "../text.ts";
import { numberLabel } from "../ticks.ts";
import type { Shading } from "./cells.ts";
import { drawLegend, formatPoints } from "./legend.ts";
import { type Line, linesOf } from "./lines.ts";
import { drawPlot } from "./plot.ts";

/** The room in at most `width` columns. */
export function drawRoom(
  room: RoomPicture,
  picture: Picture,
  shading: Shading,
  width: number,
  options: RenderOptions,
): Line[] {
  return [
    ...heading(room, picture, width, options),
    ...drawPlot(room, shading, Math.min(width, options.width), options),
    ...drawLegend(room, picture, shading, width, options),
  ];
}

/** The room's name and summary, on one line where they fit one. */
function heading(room: RoomPicture, picture: Picture, width: number, options: RenderOptions): Line[] {
  const paint = painter(options);
  const name = cleanLine(room.room) || "(no name)";
  const about = summary(room, picture, options);
  const columns = displayWidth(name) + 2 + displayWidth(about);
  if (columns <= width) {
    return [{ text: `${paint(name, "strong")}  ${paint(about, "muted")}`, width: columns }];
  }
  return [...linesOf(name, width, paint, "strong"), ...linesOf(about, width, paint, "muted")];
}

/** What the room shows, in a sentence. */
export function summary(room: RoomPicture, picture: Picture, options: Grouping): string {
  return picture.kind === "density" ? density(room, picture, options) : change(room, picture, options);
}

type Grouping = Pick<RenderOptions, "tty">;

const positions = (count: number, options: Grouping) =>
  `${formatNumber(count, options)} ${count === 1 ? "position" : "positions"}`;

function density(room: RoomPicture, picture: Picture, options: Grouping): string {
  const all = picture.positions + picture.notShown;
  const share = all > 0 ? ` (${formatShare(room.total / all)} of all)` : "";
  const visited = room.values.filter((value) => value !== null).length / room.values.length;
  const parts = [`${positions(room.total, options)}${share}`, `${formatShare(visited)} of cells visited`];
  const densest = extreme(room, 1);
  return (densest === null ? parts : [...parts, `densest at ${densest.place}`]).join(", ");
}

function change(room: RoomPicture, { sides }: Picture, options: Grouping): string {
  const [a, b] = [cleanLine(sides?.a ?? "before"), cleanLine(sides?.b ?? "after")];
  if (room.unknown !== null) {
    const [known, other] = room.unknown === "a" ? [b, a] : [a, b];
    const count = room.unknown === "a" ? room.total : (room.before ?? 0);
    return `${positions(count, options)} in ${known}; unknown in ${other}: the service returns only its busiest rooms`;
  }
  if (room.missing === "a") return `only in ${b}: ${positions(room.total, options)}`;
  if (room.missing === "b") return `only in ${a}: ${positions(room.before ?? 0, options)}`;
  const parts = [
    `${positions(room.before ?? 0, options)} in ${a}, ${formatNumber(room.total, options)} in ${b}`,
    ...[1, -1].flatMap((sign) => {
      const found = extreme(room, sign);
      if (found === null || found.count * sign <= 0) return [];
      const points = formatPoints(found.count, room.most);
      return [`${sign > 0 ? "gained" : "lost"} most at ${found.place} (${points} points)`];
    }),
  ];
  if (room.resampled) parts.push("spread over common bounds");
  return parts.join("; ");
}

/** The cell that holds the most, or with sign -1 the least, and its middle such as `x 120, y 40`; null without cells. */
function extreme(room: RoomPicture, sign: number): { count: number; place: string } | null {
  let found: { count: number; at: number } | null = null;
  for (const [at, count] of room.counts.entries()) {
    if (count !== null && (found === null || count * sign > found.count * sign)) found = { count, at };
  }
  if (found === null) return null;
  const { xMin, xMax, yMin, yMax } = cellBounds(room, found.at);
  return { count: found.count, place: `x ${middleOf(xMin, xMax)}, y ${middleOf(yMin, yMax)}` };
}

const middleOf = (min: number, max: number) => numberLabel(min / 2 + max / 2, max - min);

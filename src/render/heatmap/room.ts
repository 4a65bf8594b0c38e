/** Draws one room of a heatmap: its name, a description, the cells and a legend. */
import { cellBounds } from "../../charts/densest.ts";
import { type HeatmapView, type RoomView, selectPicture } from "../../charts/heatmap-view.ts";
import { formatNumber, formatShare } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { painter } from "../style.ts";
import { cleanLine, displayWidth } from "../text.ts";
import { numberLabel } from "../ticks.ts";
import { wrapText } from "../wrap.ts";
import type { Shading } from "./cells.ts";
import { drawLegend, formatPoints } from "./legend.ts";
import { type PaintedLine, paintLine, wrapAndPaint } from "./lines.ts";
import { drawPlot } from "./plot.ts";

/** The room in at most `width` columns. */
export function drawRoom(
  room: RoomView,
  view: HeatmapView,
  shading: Shading,
  width: number,
  options: RenderOptions,
): PaintedLine[] {
  const picture = selectPicture(room, view);
  return [
    ...heading(room, view, width, options),
    ...drawPlot(picture.room, shading, Math.min(width, options.width), options),
    ...drawLegend(picture.room, picture.view, shading, width, options),
  ];
}

/** The name and description of the room, on one line if they fit. */
function heading(room: RoomView, view: HeatmapView, width: number, options: RenderOptions): PaintedLine[] {
  const paint = painter(options);
  const name = cleanLine(room.room) || "(no name)";
  const about = describeRoom(room, view, { ...options, drawn: true });
  const columns = displayWidth(name) + 2 + displayWidth(about);
  if (columns <= width) {
    return [{ text: `${paint(name, "strong")}  ${paint(about, "muted")}`, width: columns }];
  }
  const lines = wrapRoomDescription(room, view, options, (text) => wrapText(text, width));
  return [
    ...wrapAndPaint(name, width, paint, "strong"),
    ...lines.map((line) => paintLine(line, paint, "muted")),
  ];
}

export const describeRoom = (room: RoomView, view: HeatmapView, options: DescriptionOptions): string =>
  splitValues(describe(room, view, options));

/** Describes a room below its picture in lines that do not break within a value. */
export const wrapRoomDescription = (
  room: RoomView,
  view: HeatmapView,
  options: Pick<RenderOptions, "tty">,
  wrap: (text: string) => readonly string[],
): string[] => wrap(describe(room, view, { ...options, drawn: true })).map(splitValues);

const NO_BREAK_SPACE = "\u00a0";
/** Keeps the words of a value on one line. */
const joinValue = (text: string) => text.replaceAll(" ", NO_BREAK_SPACE);
const splitValues = (text: string) => text.replaceAll(NO_BREAK_SPACE, " ");

function describe(room: RoomView, view: HeatmapView, options: DescriptionOptions): string {
  if (view.kind === "path") return formatPositions(room.total, options);
  return view.kind === "density" ? describeDensity(room, view, options) : describeChange(room, view, options);
}

interface DescriptionOptions extends Pick<RenderOptions, "tty"> {
  /** Whether the description belongs to a picture. */
  readonly drawn?: boolean;
}

const formatPositions = (count: number, options: DescriptionOptions) =>
  joinValue(`${formatNumber(count, options)} ${count === 1 ? "position" : "positions"}`);

function describeDensity(room: RoomView, view: HeatmapView, options: DescriptionOptions): string {
  const all = view.positions + view.notShown;
  const share = all > 0 ? joinValue(` (${formatShare(room.total / all)} of all)`) : "";
  const visited = room.values.filter((value) => value !== null).length / room.values.length;
  const parts = [
    `${formatPositions(room.total, options)}${share}`,
    `${joinValue(`${formatShare(visited)} of cells`)} visited`,
  ];
  const densest = findExtreme(room, 1);
  return (densest === null ? parts : [...parts, `densest at ${densest.place}`]).join(", ");
}

/** Players may have been in the room without recorded positions, so a build without positions is not a build without visits. */
function describeOneSided(known: string, other: string, count: number, options: DescriptionOptions): string {
  const result = options.drawn
    ? `so this is the map of ${known}, not a difference`
    : "so there is nothing to compare";
  return `Only in ${known}: ${formatPositions(count, options)}; no positions were recorded in ${other}, ${result}`;
}

/** Whether all compared rooms are resampled. In this case, one sentence about the whole heatmap replaces the notes of the rooms. */
export function areAllResampled(rooms: readonly RoomView[]): boolean {
  const compared = rooms.filter(({ missing, unknown }) => missing === null && unknown === null);
  return compared.length > 0 && compared.every(({ resampled }) => resampled);
}

function describeChange(room: RoomView, { sides, rooms }: HeatmapView, options: DescriptionOptions): string {
  const [a, b] = [cleanLine(sides?.a ?? "before"), cleanLine(sides?.b ?? "after")];
  if (room.unknown !== null) {
    const [known, other] = room.unknown === "a" ? [b, a] : [a, b];
    const count = room.unknown === "a" ? room.total : (room.before ?? 0);
    return `${formatPositions(count, options)} in ${known}; unknown in ${other}, because the service returns only the rooms with the most positions`;
  }
  if (room.missing === "a") return describeOneSided(b, a, room.total, options);
  if (room.missing === "b") return describeOneSided(a, b, room.before ?? 0, options);
  const parts = [
    `${formatPositions(room.before ?? 0, options)} in ${a}, ${formatNumber(room.total, options)} in ${b}`,
    ...[1, -1].flatMap((sign) => {
      const found = findExtreme(room, sign);
      if (found === null || found.count * sign <= 0) return [];
      const points = formatPoints(found.count, room.most);
      return [
        `largest ${sign > 0 ? "increase" : "decrease"} at ${found.place}${joinValue(` (${points} pp)`)}`,
      ];
    }),
  ];
  if (room.resampled && !areAllResampled(rooms)) parts.push("drawn on a common grid");
  return parts.join("; ");
}

/** The cell with the highest value (lowest for sign -1) and its center, such as `x 120, y 40`; null without cells. */
function findExtreme(room: RoomView, sign: number): { count: number; place: string } | null {
  let found: { count: number; at: number } | null = null;
  for (const [at, count] of room.counts.entries()) {
    if (count !== null && (found === null || count * sign > found.count * sign)) found = { count, at };
  }
  if (found === null) return null;
  const { xMin, xMax, yMin, yMax } = cellBounds(room, found.at);
  return {
    count: found.count,
    place: joinValue(`x ${formatMiddle(xMin, xMax)}, y ${formatMiddle(yMin, yMax)}`),
  };
}

const formatMiddle = (min: number, max: number) => numberLabel(min / 2 + max / 2, max - min);

/** A heatmap as SVG: its rooms with axes and legends, and in words what they show. */
import type { Picture, RoomPicture } from "../../pictures/picture.ts";
import { reading, totals } from "../heatmap/picture.ts";
import { difference, type PaletteName, paletteNamed } from "../palettes/index.ts";
import { cleanLine } from "../text.ts";
import { chartStyle, cutTo, filled, line, linesOf } from "./chart-theme.ts";
import { all, el, type Markup, style } from "./element.ts";
import type { LevelMap } from "./heatmap-frame.ts";
import { roomSvg } from "./heatmap-room.ts";

export interface HeatmapSvgOptions {
  /** Of a density; a difference has its own. */
  readonly palette?: PaletteName;
  /** The level behind the cells of every room of the picture: mostly the one it has. */
  readonly map?: LevelMap;
}

/** Pixels at scale 1. One room is drawn larger than several, which stand two in a row. */
const MARGIN = 24;
const GAP = 28;
const ONE = 760;
const TWO = 480;
const TITLE = 20;
const TEXT = 13;
const LINE = 19;
/** For the numbers here digits are grouped, as at a terminal. */
const PEOPLE = { tty: true } as const;

/** A whole file: sharp at any size, on its own paper, light or dark as the reader's system is. The same bytes for the same picture. */
export function heatmapFile(picture: Picture, options: HeatmapSvgOptions = {}): string {
  return `${drawn(picture, options, { xmlns: "http://www.w3.org/2000/svg" }).markup}\n`;
}

/** As an element of a page, which gives it its width; without ids, so that a page may hold several. */
export function heatmapSvg(picture: Picture, options: HeatmapSvgOptions = {}): Markup {
  return drawn(picture, options, { style: "max-width:100%;height:auto" });
}

/** What the picture shows, in a sentence. */
export function describePicture(picture: Picture): string {
  const rooms = picture.rooms.map(({ room }) => cleanLine(room) || "(no name)");
  const named = rooms.length === 0 ? "" : ` Rooms: ${rooms.join(", ")}.`;
  return `${titleOf(picture)}. ${totals(picture, PEOPLE)}.${named}`;
}

/** What is drawn, such as `Where players were: ember`. */
export function titleOf({ kind, game, sides }: Picture): string {
  if (kind === "density" || sides === null) return `Where players were: ${cleanLine(game)}`;
  return `Where players were: ${cleanLine(game)}, ${cleanLine(sides.b)} against ${cleanLine(sides.a)}`;
}

function drawn(picture: Picture, options: HeatmapSvgOptions, attributes: Record<string, string>): Markup {
  const { rooms } = picture;
  const across = rooms.length > 1 ? 2 : 1;
  const each = across === 2 ? TWO : ONE;
  const inner = across * each + (across - 1) * GAP;
  const palette = picture.kind === "difference" ? difference : paletteNamed(options.palette);
  const parts: Markup[] = [
    line(cutTo(titleOf(picture), inner, TITLE), MARGIN, MARGIN + TITLE, { size: TITLE, bold: true }),
  ];
  let y = MARGIN + TITLE + 8;
  const paragraph = (text: string) => {
    for (const part of linesOf(text, inner, TEXT)) {
      y += LINE;
      parts.push(line(part, MARGIN, y, { size: TEXT, ink: "muted" }));
    }
  };
  paragraph(totals(picture, PEOPLE));
  y += 20;
  for (let from = 0; from < rooms.length; from += across) {
    const row = rooms
      .slice(from, from + across)
      .map((room: RoomPicture) => roomSvg(room, picture, { palette, width: each, map: options.map ?? null }));
    for (const [at, { markup, height }] of row.entries()) {
      // An inner picture cuts off what would run into the next.
      parts.push(el("svg", { x: MARGIN + at * (each + GAP), y, width: each, height }, markup));
    }
    y += Math.max(...row.map(({ height }) => height)) + 24;
  }
  if (rooms.length > 0) paragraph(reading(picture));
  const size = { width: inner + 2 * MARGIN, height: Math.ceil(y + MARGIN) };
  return el(
    "svg",
    {
      ...attributes,
      viewBox: `0 0 ${size.width} ${size.height}`,
      ...size,
      role: "img",
      "aria-label": describePicture(picture),
    },
    attributes.xmlns
      ? all(el("title", {}, titleOf(picture)), el("desc", {}, describePicture(picture)))
      : null,
    style(chartStyle),
    el("rect", { ...size, ...filled("paper") }),
    parts,
  );
}

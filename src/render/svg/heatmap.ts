/** A heatmap as SVG: rooms with axes and legends, and a description in words. */
import type { HeatmapView, RoomView } from "../../charts/heatmap-view.ts";
import {
  describeNotes,
  describeScale,
  describeSubtitle,
  describeTotals,
  isAnyRoomDrawn,
} from "../heatmap/heatmap.ts";
import { formatText } from "../heatmap/marks.ts";
import { describeRoom } from "../heatmap/room.ts";
import { difference, getPalette, type PaletteName } from "../palettes/index.ts";
import { cleanLine } from "../text.ts";
import type { SvgDrawing } from "./chart-series.ts";
import { chartStyle, filled, svgText, truncateToWidth, wrapToWidth } from "./chart-theme.ts";
import { el, fragment, type Markup, styleElement, svgImage } from "./element.ts";
import type { LevelMap } from "./heatmap-frame.ts";
import { marksLegend } from "./heatmap-marks.ts";
import { roomSvg } from "./heatmap-room.ts";

export interface HeatmapSvgOptions {
  /** Only for densities; differences have their own palette. */
  readonly palette?: PaletteName;
  /** Level image behind the cells of every room; callers use it with one room. */
  readonly map?: LevelMap;
}

/** Sizes in pixels at scale 1. A single room is larger than two in a row. */
const MARGIN = 24;
const GAP = 28;
const SINGLE_ROOM_WIDTH = 760;
const PAIRED_ROOM_WIDTH = 480;
/** Little more than a phone, so that texts stay readable there. */
const TILED_ROOM_WIDTH = 400;
const TITLE = 20;
const TEXT = 13;
const LINE = 19;
/** Numbers have thousands separators, as at a terminal. */
const PEOPLE = { tty: true } as const;

/** A complete SVG file that follows the reader's light or dark mode. The output is deterministic. */
export function heatmapFile(view: HeatmapView, options: HeatmapSvgOptions = {}): string {
  return `${drawHeatmap(view, options, { xmlns: "http://www.w3.org/2000/svg" }).markup}\n`;
}

/** An SVG element for a page whose style sheet has `chartStyle`, without ids, so that a page may contain several. */
export function heatmapSvg(view: HeatmapView, options: HeatmapSvgOptions = {}): Markup {
  return drawHeatmap(view, options, { class: "heatmap" });
}

export interface RoomDrawing {
  readonly room: RoomView;
  readonly svg: Markup;
}

/** Each room, and the legend of the marks if there are any, as SVG elements that a page can lay out by its width. */
export function heatmapRoomsSvg(view: HeatmapView): {
  readonly legend: Markup | null;
  readonly rooms: readonly RoomDrawing[];
} {
  const width = view.rooms.length > 1 ? TILED_ROOM_WIDTH : SINGLE_ROOM_WIDTH;
  const palette = view.kind === "difference" ? difference : getPalette();
  const legend = marksLegend(view, width);
  return {
    legend:
      legend.height === 0
        ? null
        : frame(
            { ...legend, height: legend.height + LINE / 2 },
            width,
            view.marks.map((summary) => formatText(summary)).join(" "),
          ),
    rooms: view.rooms.map((room) => ({
      room,
      svg: frame(
        roomSvg(room, view, { palette, width, map: null }),
        width,
        `${cleanLine(room.room) || "(no name)"}: ${describeRoom(room, view, { ...PEOPLE, drawn: true })}`,
      ),
    })),
  };
}

const frame = ({ markup, height }: SvgDrawing, width: number, label: string): Markup =>
  svgImage({ width, height: Math.ceil(height), label }, markup);

function describeHeatmap(view: HeatmapView): string {
  const rooms = view.rooms.map(({ room }) => cleanLine(room) || "(no name)");
  const named = rooms.length === 0 ? "" : ` Rooms: ${rooms.join(", ")}.`;
  const notes = describeNotes(view);
  const marks = view.marks.map((summary) => ` ${formatText(summary)}`).join("");
  return `${formatHeatmapTitle(view)}. ${describeTotals(view, PEOPLE)}.${named}${marks}${notes ? ` ${notes}` : ""}`;
}

/** The title, such as `Player positions: ember`. */
export function formatHeatmapTitle({ kind, game, sides }: HeatmapView): string {
  if (kind === "density" || sides === null) return `Player positions: ${cleanLine(game)}`;
  return `Player positions: ${cleanLine(game)}, ${cleanLine(sides.a)} to ${cleanLine(sides.b)}`;
}

function drawHeatmap(
  view: HeatmapView,
  options: HeatmapSvgOptions,
  attributes: Record<string, string>,
): Markup {
  const { rooms } = view;
  const across = rooms.length > 1 ? 2 : 1;
  const each = across === 2 ? PAIRED_ROOM_WIDTH : SINGLE_ROOM_WIDTH;
  const inner = across * each + (across - 1) * GAP;
  const palette = view.kind === "difference" ? difference : getPalette(options.palette);
  const parts: Markup[] = [];
  let y = MARGIN;
  const paragraph = (text: string) => {
    for (const part of wrapToWidth(text, inner, TEXT)) {
      y += LINE;
      parts.push(svgText(part, MARGIN, y, { size: TEXT, ink: "muted" }));
    }
  };
  // A page has its own title and notes.
  if (attributes.xmlns) {
    const title = truncateToWidth(formatHeatmapTitle(view), inner, TITLE);
    parts.push(svgText(title, MARGIN, MARGIN + TITLE, { size: TITLE, bold: true }));
    y += TITLE + 8;
    paragraph(describeSubtitle(view, PEOPLE));
    if (view.notes.length > 0) paragraph(describeNotes(view));
  }
  const legend = marksLegend(view, inner);
  parts.push(el("g", { transform: `translate(${MARGIN} ${y})` }, legend.markup));
  y += legend.height + (attributes.xmlns || legend.height > 0 ? 20 : 0);
  for (let from = 0; from < rooms.length; from += across) {
    const row = rooms
      .slice(from, from + across)
      .map((room: RoomView) => roomSvg(room, view, { palette, width: each, map: options.map ?? null }));
    for (const [at, { markup, height }] of row.entries()) {
      // An inner SVG element clips text that would overlap the next room.
      parts.push(el("svg", { x: MARGIN + at * (each + GAP), y, width: each, height }, markup));
    }
    y += Math.max(...row.map(({ height }) => height)) + 24;
  }
  if (attributes.xmlns && isAnyRoomDrawn(view)) paragraph(describeScale(view));
  const size = { width: inner + 2 * MARGIN, height: Math.ceil(y + MARGIN) };
  return svgImage(
    { ...attributes, ...size, label: describeHeatmap(view) },
    attributes.xmlns
      ? fragment(el("title", formatHeatmapTitle(view)), el("desc", describeHeatmap(view)))
      : null,
    attributes.xmlns ? styleElement(chartStyle) : null,
    el("rect", { ...size, ...filled("paper") }),
    parts,
  );
}

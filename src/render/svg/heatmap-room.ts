/** Draws one room of a heatmap as SVG: its name, its cells with axes, and its legend. */
import { type HeatmapView, type RoomView, selectPicture } from "../../charts/heatmap-view.ts";
import { wrapRoomDescription } from "../heatmap/room.ts";
import { getPalette, type Palette } from "../palettes/index.ts";
import { toCssColor } from "../palettes/palette.ts";
import { cleanLine } from "../text.ts";
import { roundTicks } from "../ticks.ts";
import type { SvgDrawing } from "./chart-series.ts";
import { estimateWidth, stroked, svgText, truncateToWidth, wrapToWidth } from "./chart-theme.ts";
import { el, type Markup, num } from "./element.ts";
import { computeFrame, type LevelMap, type PlotFrame } from "./heatmap-frame.ts";
import { legendSvg } from "./heatmap-legend.ts";
import { roomMarksSvg } from "./heatmap-marks.ts";
import { roomPathsSvg } from "./heatmap-paths.ts";

export interface RoomSvgOptions {
  readonly palette: Palette;
  /** Available width in pixels. */
  readonly width: number;
  readonly map: LevelMap | null;
}

const NAME = 16;
const TEXT = 12;
const LABEL = 11;
const TICK = 5;
/** Minimum distance between ticks in pixels. */
const TICK_EVERY = { x: 70, y: 44 } as const;
const PEOPLE = { tty: true } as const;
/** Opacity of cells over a level image, which stays visible through cells of any value. */
const OPACITY = { few: 0.3, many: 0.9, steps: 20 } as const;

export function roomSvg(room: RoomView, view: HeatmapView, options: RoomSvgOptions): SvgDrawing {
  const { width } = options;
  const parts: Markup[] = [
    svgText(truncateToWidth(cleanLine(room.room) || "(no name)", width, NAME), 0, NAME, {
      size: NAME,
      bold: true,
    }),
  ];
  let y = NAME + 4;
  const wrap = (text: string) => wrapToWidth(text, width, TEXT);
  for (const text of wrapRoomDescription(room, view, PEOPLE, wrap)) {
    y += 17;
    parts.push(svgText(text, 0, y, { size: TEXT, ink: "muted" }));
  }
  y += 12;
  const picture = drawPicture(selectPicture(room, view), { ...options, palette: pickPalette(room, options) });
  parts.push(el("g", { transform: `translate(0 ${num(y)})` }, picture.markup));
  return { markup: el("g", parts), height: y + picture.height };
}

/** A map of one build in a difference has the colors of a density. */
const pickPalette = ({ single }: RoomView, { palette }: RoomSvgOptions) =>
  single === null || palette.kind !== "diverging" ? palette : getPalette();

/** The cells with axes, and the legend. */
function drawPicture(
  { room, view }: { readonly room: RoomView; readonly view: HeatmapView },
  options: RoomSvgOptions,
): SvgDrawing {
  const { width, map } = options;
  const { yMin, yMax } = map === null ? room.bounds : computeFrame(room, map, 1).bounds;
  const gutter = 10 + Math.max(...roundTicks(yMin, yMax, 8).map(({ label }) => estimateWidth(label, LABEL)));
  const frame = computeFrame(room, map, Math.max(80, width - gutter - 4));
  const left = Math.ceil(gutter);
  const y = frame.height + 30;
  const legend = legendSvg(room, view, {
    palette: options.palette,
    map: map !== null,
    space: width - left,
  });
  const markup = el(
    "g",
    { transform: `translate(${num(left)} 0)` },
    drawPlot(room, frame, options),
    roomPathsSvg(room, frame),
    roomMarksSvg(room, frame),
    drawAxes(frame),
    el("g", { transform: `translate(0 ${num(y)})` }, legend.markup),
  );
  return { markup, height: y + legend.height };
}

/** Draws the cells on the background or the level image. */
function drawPlot(room: RoomView, frame: PlotFrame, { palette, map }: RoomSvgOptions): Markup {
  const { width, height } = frame;
  const background = el("rect", { width, height, fill: toCssColor(palette.none.rgb) });
  const level = map === null ? null : drawLevelMap(map, frame);
  return el("g", background, level, drawCells(room, frame, palette, map !== null));
}

function drawLevelMap({ uri, bounds }: LevelMap, frame: PlotFrame): Markup {
  const ys = [frame.y(bounds.yMin), frame.y(bounds.yMax)];
  const [x, y] = [frame.x(bounds.xMin), Math.min(...ys)];
  const size = { width: frame.x(bounds.xMax) - x, height: Math.max(...ys) - y };
  return el("image", { x, y, ...size, preserveAspectRatio: "none", href: uri });
}

/** Draws all cells with the same color and opacity as one path. Equal neighbors in a row are merged. */
function drawCells(room: RoomView, frame: PlotFrame, palette: Palette, translucent: boolean): Markup {
  const paths = new Map<string, { fill: string; opacity: number | null; runs: string[] }>();
  const xs = computeEdges(room.bounds.xMin, room.bounds.xMax, room.cellsX, frame.x, frame.width);
  const ys = computeEdges(room.bounds.yMin, room.bounds.yMax, room.cellsY, frame.y, frame.height);
  for (let row = 0; row < room.cellsY; row += 1) {
    for (let column = 0; column < room.cellsX; ) {
      const value = room.values[row * room.cellsX + column] ?? null;
      let end = column + 1;
      while (end < room.cellsX && (room.values[row * room.cellsX + end] ?? null) === value) end += 1;
      if (value !== null) {
        const fill = toCssColor(palette.rgb(value));
        const opacity = translucent ? toOpacity(value) : null;
        const key = `${fill} ${opacity}`;
        const path = paths.get(key) ?? { fill, opacity, runs: [] };
        paths.set(key, path);
        const [left, right, top, bottom] = [xs[column], xs[end], ys[row], ys[row + 1]].map((at) =>
          num(at ?? 0),
        );
        path.runs.push(`M${left} ${top}H${right}V${bottom}H${left}z`);
      }
      column = end;
    }
  }
  const drawn = [...paths.values()].map(({ fill, opacity, runs }) =>
    el("path", { fill, "fill-opacity": opacity, d: runs.join("") }),
  );
  return el("g", { "shape-rendering": "crispEdges" }, drawn);
}

/** Larger values are more opaque. */
function toOpacity(value: number): number {
  const share = Math.round(Math.abs(value) * OPACITY.steps) / OPACITY.steps;
  return OPACITY.few + (OPACITY.many - OPACITY.few) * share;
}

/** The coordinates of the edges between cells. The cell of a room without extent gets a visible size. */
function computeEdges(
  min: number,
  max: number,
  cells: number,
  toPixels: (value: number) => number,
  pixels: number,
): number[] {
  const start = max > min ? toPixels(min) : Math.min(toPixels(min), pixels - pixels / cells);
  const end = max > min ? toPixels(max) : start + pixels;
  return Array.from({ length: cells + 1 }, (_, at) => start + ((end - start) * at) / cells);
}

/** Draws the frame and ticks in world units. */
function drawAxes(frame: PlotFrame): Markup {
  const { bounds, width, height } = frame;
  const parts: Markup[] = [el("rect", { width, height, ...stroked("muted") })];
  let free = Number.NEGATIVE_INFINITY;
  for (const { value, label } of roundTicks(bounds.xMin, bounds.xMax, width / TICK_EVERY.x)) {
    const x = frame.x(value);
    const half = estimateWidth(label, LABEL) / 2;
    parts.push(el("path", { d: `M${num(x)} ${num(height)}v${TICK}`, ...stroked("muted") }));
    const center = Math.min(Math.max(x, half), Math.max(half, width - half));
    if (center - half < free + 6) continue;
    free = center + half;
    parts.push(
      svgText(label, center, height + TICK + LABEL + 1, { size: LABEL, ink: "muted", anchor: "middle" }),
    );
  }
  for (const { value, label } of roundTicks(bounds.yMin, bounds.yMax, Math.max(2, height / TICK_EVERY.y))) {
    const y = frame.y(value);
    parts.push(el("path", { d: `M0 ${num(y)}h-${TICK}`, ...stroked("muted") }));
    const middle = Math.min(Math.max(y + 4, LABEL - 2), height);
    parts.push(svgText(label, -TICK - 3, middle, { size: LABEL, ink: "muted", anchor: "end" }));
  }
  return el("g", parts);
}

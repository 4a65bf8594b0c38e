/** The legend of a room: the values of its colors or characters. */
import type { HeatmapView, RoomView } from "../../charts/heatmap-view.ts";
import { formatNumber } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { type Paint, painter } from "../style.ts";
import { cleanLine } from "../text.ts";
import type { CellShade, Shading } from "./cells.ts";
import { flowPieces, type PaintedLine, paintLine, wrapAndPaint } from "./lines.ts";

/** Number of colors in the legend of a continuous palette. */
const SAMPLES = 6;
/** Number of values at which a palette is checked for its steps. */
const RESOLUTION = 256;

/** A value of a path near its start, which is drawn as one. */
const PATH_START = 0.05;

/** The legend in at most `width` columns: positions per cell, or changes of the share of the room's positions. */
export function drawLegend(
  room: RoomView,
  { kind, sides }: HeatmapView,
  shading: Shading,
  width: number,
  options: RenderOptions,
): PaintedLine[] {
  if (room.most === 0) return [];
  const paint = painter(options);
  const entry = (cell: CellShade, label: string): PaintedLine => {
    const { text, width: columns } = shading.swatch(cell);
    const caption = paintLine(` ${label}`, paint, "muted");
    return { text: text + caption.text, width: columns + caption.width };
  };
  if (kind === "path")
    return withTitle(
      "Time:",
      [entry(PATH_START, "first"), entry(1, "last"), entry(null, "not visited")],
      width,
      paint,
    );
  const about = room.exact ? "" : "about";
  if (kind === "difference") {
    const shares = sides ? `${cleanLine(sides.b)} minus ${cleanLine(sides.a)}` : "";
    const title = ["Percentage points", shares, about].filter((part) => part !== "").join(", ");
    const entries = pickLegendChanges(room.most, shading).map(({ cell, label }) => entry(cell, label));
    return withTitle(`${title}:`, [...entries, entry(null, "no positions in either")], width, paint);
  }
  const { stepped, counts } = pickLegendCounts(room.most, shading);
  const number = (count: number) => formatNumber(count, options);
  const entries = counts.map((count, at) => {
    const last = (counts[at + 1] ?? room.most + 1) - 1;
    const label = stepped && last > count ? `${number(count)}–${number(last)}` : number(count);
    return entry(Math.log1p(count) / Math.log1p(room.most), label);
  });
  const title = ["Positions per cell", about].filter((part) => part !== "").join(", ");
  return withTitle(`${title}:`, [...entries, entry(null, "no positions")], width, paint);
}

function withTitle(
  title: string,
  entries: readonly PaintedLine[],
  width: number,
  paint: Paint,
): PaintedLine[] {
  const [only, ...more] = wrapAndPaint(title, width, paint, "muted");
  return more.length === 0 && only
    ? flowPieces([only, ...entries], width)
    : [...wrapAndPaint(title, width, paint, "muted"), ...flowPieces(entries, width)];
}

/** Counts for a legend: the lowest of each step, or samples from 1 to the maximum of a continuous palette. */
function pickLegendCounts(most: number, { look, smooth }: Shading): { stepped: boolean; counts: number[] } {
  const scale = Math.log1p(most);
  if (smooth) {
    const samples = Array.from({ length: SAMPLES }, (_, at) => Math.expm1((scale * at) / (SAMPLES - 1)));
    return { stepped: false, counts: unique([1, ...samples.slice(1, -1).map(roundToTwoDigits), most]) };
  }
  const looks = new Map<string, number>();
  for (let at = 0; at <= RESOLUTION; at++) {
    const found = look(at / RESOLUTION);
    if (!looks.has(found)) looks.set(found, looks.size);
  }
  const stepOf = (count: number) => looks.get(look(Math.log1p(count) / scale)) ?? 0;
  const counts = Array.from(looks, ([, step]) => findLowestCount(step, most, stepOf));
  return { stepped: true, counts: unique(counts.filter((count) => count !== null)) };
}

/** The lowest count of a step, by bisection, because steps increase with counts; null if no whole number is in it. */
function findLowestCount(step: number, most: number, stepOf: (count: number) => number): number | null {
  let low = 1;
  let high = most;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (stepOf(middle) < step) low = middle + 1;
    else high = middle;
  }
  return stepOf(low) === step ? low : null;
}

const roundToTwoDigits = (value: number) => Math.max(1, Math.round(Number(value.toPrecision(2))));
const unique = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);

/** Changes from the largest decrease to the largest increase, one for each color or character. */
function pickLegendChanges(most: number, { look }: Shading): { cell: number; label: string }[] {
  const seen = new Set<string>();
  return [-1, 1, 0, -2 / 3, 2 / 3, -1 / 3, 1 / 3]
    .filter((cell) => !seen.has(look(cell)) && seen.add(look(cell)))
    .sort((a, b) => a - b)
    .map((cell) => ({ cell, label: formatPoints(cell * most, most) }));
}

/** A change of a share (-1 to 1) in percentage points with its sign. `most` is the largest change, and sets the decimals. */
export function formatPoints(change: number, most: number): string {
  const points = change * 100;
  const decimals = Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(most * 100) + 1e-9)));
  const text = Math.abs(points).toFixed(decimals);
  return Number(text) === 0 ? "0" : `${points < 0 ? "-" : "+"}${text}`;
}

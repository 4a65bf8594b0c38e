/** The legend of a room in SVG: the values of its colors in positions or percentage points. */
import type { HeatmapView, RoomView } from "../../charts/heatmap-view.ts";
import { formatPoints } from "../heatmap/legend.ts";
import { formatNumber } from "../numbers.ts";
import type { Palette } from "../palettes/index.ts";
import { toCssColor } from "../palettes/palette.ts";
import { cleanLine } from "../text.ts";
import type { SvgDrawing } from "./chart-series.ts";
import { estimateWidth, stroked, svgText, truncateToWidth } from "./chart-theme.ts";
import { el, type Markup, num } from "./element.ts";

const STEPS = 64;
const BAR = { width: 256, height: 12 } as const;
const LABEL = 11;

interface LegendMark {
  readonly label: string;
  /** 0 at the left end of the bar, 1 at the right. */
  readonly at: number;
}

/** A color bar with labels, and the color of cells without positions. */
export function legendSvg(
  room: RoomView,
  view: HeatmapView,
  { palette, map, space }: { palette: Palette; map: boolean; space: number },
): SvgDrawing {
  if (room.most === 0) return { markup: el("g"), height: 0 };
  const title = svgText(truncateToWidth(formatTitle(room, view, map), space, LABEL), 0, LABEL, {
    size: LABEL,
    ink: "muted",
  });
  const width = Math.min(BAR.width, Math.floor((space * 0.6) / STEPS) * STEPS || STEPS);
  const emptyLabel = view.kind === "difference" ? "no positions in either" : "no positions";
  const bar = el(
    "g",
    { transform: `translate(0 ${LABEL + 7})` },
    drawColors(palette, width),
    drawMarks(room, view, width),
  );
  const none = el(
    "g",
    { transform: `translate(${num(width + 28)} ${LABEL + 7})` },
    el("rect", { width: 18, height: BAR.height, fill: toCssColor(palette.none.rgb) }),
    el("rect", { width: 18, height: BAR.height, ...stroked("muted") }),
    svgText(emptyLabel, 24, 10, { size: LABEL, ink: "muted" }),
  );
  return { markup: el("g", title, bar, map ? null : none), height: LABEL + 7 + BAR.height + LABEL + 8 };
}

function formatTitle({ exact }: RoomView, { kind, sides }: HeatmapView, map: boolean): string {
  const about = `${exact ? "" : ", about"}${map ? "; cells without positions show only the level" : ""}`;
  if (kind === "density") return `Positions per cell${about}`;
  if (!sides) return `Change of the share (pp)${about}`;
  return `${cleanLine(sides.b)} minus ${cleanLine(sides.a)} (pp)${about}`;
}

function drawColors(palette: Palette, width: number): Markup {
  const step = width / STEPS;
  const rects = Array.from({ length: STEPS }, (_, at) => {
    const share = at / (STEPS - 1);
    const fill = toCssColor(palette.rgb(palette.kind === "diverging" ? share * 2 - 1 : share));
    return el("rect", { x: at * step, width: step, height: BAR.height, fill });
  });
  return el("g", { "shape-rendering": "crispEdges" }, rects);
}

function drawMarks(room: RoomView, { kind }: HeatmapView, width: number): Markup {
  let free = Number.NEGATIVE_INFINITY;
  const all = kind === "density" ? markCounts(room.most) : markPoints(room.most);
  // The first and last labels are always shown. Others are left out if they would overlap.
  const last = all[all.length - 1];
  const end = last ? last.at * width - estimateWidth(last.label, LABEL) / 2 : width;
  const parts = all.flatMap((mark) => {
    const half = estimateWidth(mark.label, LABEL) / 2;
    const x = Math.max(half, mark.at * width);
    if (mark !== last && (x - half < free + 6 || x + half > end - 6)) return [];
    free = x + half;
    return [
      el("path", { d: `M${num(mark.at * width)} ${BAR.height}v3`, ...stroked("muted") }),
      svgText(mark.label, x, BAR.height + LABEL + 4, { size: LABEL, ink: "muted", anchor: "middle" }),
    ];
  });
  return el("g", parts);
}

/** 1, 2, 5, 10 and so on up to the maximum, placed by intensity: ln(1 + n) / ln(1 + max). */
function markCounts(most: number): LegendMark[] {
  const marks: LegendMark[] = [];
  const mark = (count: number) =>
    marks.push({ label: formatNumber(count, { tty: true }), at: Math.log1p(count) / Math.log1p(most) });
  for (let power = 1; power < most; power *= 10) {
    for (const factor of [1, 2, 5]) if (factor * power < most) mark(factor * power);
  }
  mark(most);
  return marks;
}

const markPoints = (most: number): LegendMark[] =>
  [-1, -0.5, 0, 0.5, 1].map((value) => ({ label: formatPoints(value * most, most), at: (value + 1) / 2 }));

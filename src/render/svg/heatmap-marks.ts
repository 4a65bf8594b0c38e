/** Marks over the cells of a room as SVG: crosses for deaths, rings for the last positions of sessions. */
import type { HeatmapView, RoomView } from "../../charts/heatmap-view.ts";
import type { MarkKind } from "../../contract/heatmaps.ts";
import { formatText } from "../heatmap/marks.ts";
import { svgText, wrapToWidth } from "./chart-theme.ts";
import { el, fragment, type Markup, num } from "./element.ts";
import type { PlotFrame } from "./heatmap-frame.ts";
import { listPathSamples } from "./heatmap-paths.ts";

/** Radius in pixels of the mark of one death or session, and of the largest mark. */
const RADIUS = { one: 4, max: 11 } as const;
const TEXT = 13;
const LINE = 19;
/** White with a dark edge, so that a mark is visible over every color. */
const [FRONT, EDGE] = ["#ffffff", "#101010"];

/** The marks of a room, the quits below the deaths. */
export function roomMarksSvg({ marks }: RoomView, frame: PlotFrame): Markup {
  const drawn = marks
    .toReversed()
    .map(({ kind, points }) =>
      points.map(({ x, y, count }) => drawMark(kind, frame.x(x), frame.y(y), findRadius(count), count)),
    );
  return el("g", drawn);
}

/** The area of a mark grows with the number of deaths or sessions. */
const findRadius = (count: number) => Math.min(RADIUS.max, RADIUS.one * Math.sqrt(Math.max(1, count)));

const names: Readonly<Record<MarkKind, string>> = { deaths: "deaths", quits: "last positions of sessions" };

function drawMark(kind: MarkKind, x: number, y: number, radius: number, count: number): Markup {
  const strokes = [
    { stroke: EDGE, "stroke-width": 4 },
    { stroke: FRONT, "stroke-width": 2 },
  ];
  const title = el("title", `${names[kind]}: ${count}`);
  const r = radius * (kind === "deaths" ? Math.SQRT1_2 : 1);
  const shapes = strokes.map((look) =>
    kind === "deaths"
      ? el("path", {
          d: `M${num(x - r)} ${num(y - r)}L${num(x + r)} ${num(y + r)}M${num(x - r)} ${num(y + r)}L${num(x + r)} ${num(y - r)}`,
          fill: "none",
          ...look,
        })
      : el("circle", { cx: num(x), cy: num(y), r: num(r), fill: "none", ...look }),
  );
  return el("g", title, shapes);
}

/** The legend of the marks and paths, `width` wide, from y 0 down, and its height. */
export function marksLegend(
  view: HeatmapView,
  width: number,
): { readonly markup: Markup; readonly height: number } {
  const parts: Markup[] = [];
  let y = 0;
  for (const { markup, text } of listPathSamples(view)) {
    const box = { x: 2, y: LINE - 13, width: 16, height: 16, rx: 3, fill: EDGE };
    parts.push(el("g", { transform: `translate(0 ${num(y)})` }, el("rect", box), shiftDown(markup)));
    y += LINE;
    parts.push(svgText(text, 24, y, { size: TEXT, ink: "muted" }));
  }
  for (const summary of view.marks) {
    const indent = summary.isEmpty ? 0 : 24;
    if (!summary.isEmpty) {
      const box = { x: 2, y: y + LINE - 13, width: 16, height: 16, rx: 3, fill: EDGE };
      parts.push(el("rect", box), drawMark(summary.kind, 10, y + LINE - 5, RADIUS.one, 1));
    }
    for (const line of wrapToWidth(formatText(summary), width - indent, TEXT)) {
      y += LINE;
      parts.push(svgText(line, indent, y, { size: TEXT, ink: "muted" }));
    }
  }
  return { markup: fragment(parts), height: y };
}

/** A sample of a path in the middle of its line of the legend. */
const shiftDown = (markup: Markup) => el("g", { transform: `translate(0 ${LINE - 13})` }, markup);

/** The paths of sessions over the cells of a room as SVG, in a color for each outcome. */
import type { HeatmapView, RoomPath, RoomView } from "../../charts/heatmap-view.ts";
import { type PathOutcome, pathOutcomes } from "../../contract/heatmaps.ts";
import { el, type Markup, num } from "./element.ts";
import type { PlotFrame } from "./heatmap-frame.ts";

/** Colors of M. Okabe and K. Ito's palette, as in the charts, each with a dash of its own for people who see no colors. */
const looks: Readonly<Record<PathOutcome, { readonly stroke: string; readonly dash: string | null }>> = {
  completed: { stroke: "#56b4e9", dash: null },
  failed: { stroke: "#f0e442", dash: "6 3" },
  quit: { stroke: "#d55e00", dash: "2 3" },
  left: { stroke: "#ffffff", dash: "8 3 2 3" },
};
const EDGE = "#101010";

export const roomPathsSvg = ({ paths = [] }: RoomView, frame: PlotFrame): Markup =>
  el(
    "g",
    paths.map((path) => drawPath(path, frame)),
  );

function drawPath({ outcome, points }: RoomPath, frame: PlotFrame): Markup {
  const at = ({ x, y }: RoomPath["points"][number]) => `${num(frame.x(x))} ${num(frame.y(y))}`;
  return el("g", el("title", `path: ${outcome}`), drawLine(`M${points.map(at).join("L")}`, outcome));
}

function drawLine(d: string, outcome: PathOutcome): Markup[] {
  const { stroke, dash } = looks[outcome];
  const line = { d, fill: "none", "stroke-linejoin": "round", "stroke-linecap": "round" };
  return [
    el("path", { ...line, stroke: EDGE, "stroke-width": 3, "stroke-opacity": 0.6 }),
    el("path", {
      ...line,
      stroke,
      "stroke-width": 1.5,
      ...(dash === null ? {} : { "stroke-dasharray": dash }),
    }),
  ];
}

/** A line for the legend, with its text, for each outcome that is drawn. */
export function listPathSamples({
  rooms,
}: HeatmapView): { readonly markup: Markup; readonly text: string }[] {
  const used = new Set(rooms.flatMap(({ paths = [] }) => paths.map(({ outcome }) => outcome)));
  return pathOutcomes
    .filter((outcome) => used.has(outcome))
    .map((outcome) => ({
      markup: el("g", drawLine("M4 8H16", outcome)),
      text: `path of a session, ${outcome}`,
    }));
}

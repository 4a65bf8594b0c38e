/** Writes charts to an SVG file, below each other, with a description in words. */
import type { Chart } from "../../charts/charts.ts";
import { describeChart } from "../charts/values.ts";
import { cleanLine } from "../text.ts";
import { barsSvg, intervalsSvg, measureRows } from "./chart-rows.ts";
import { type SvgDrawing, seriesSvg } from "./chart-series.ts";
import { chartStyle, filled, svgText, truncateToWidth, wrapToWidth } from "./chart-theme.ts";
import { type Child, el, type Markup, styleElement, svgImage } from "./element.ts";

const MIN_WIDTH = 760;
const MARGIN = 24;
const TITLE = 17;
const SMALL_TITLE = 13;
const NOTE = 12.5;

/** A complete SVG file that follows the reader's light or dark mode. */
export function chartsFile(charts: readonly Chart[]): string {
  const parts: Child[] = [];
  let y = MARGIN;
  const inner = Math.max(MIN_WIDTH - 2 * MARGIN, ...charts.map(measureWidth));
  for (const chart of charts) {
    const { markup, height } = drawWithHead(chart, inner);
    parts.push(el("g", { transform: `translate(${MARGIN} ${y})` }, markup));
    y += height + MARGIN / 2;
  }
  const size = { width: Math.ceil(inner + 2 * MARGIN), height: y + MARGIN / 2 };
  const [first] = charts;
  const title = first?.title ?? "";
  const svg = el(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${size.width} ${size.height}`,
      ...size,
      role: "img",
      "aria-labelledby": "title desc",
    },
    el("title", { id: "title" }, title),
    el("desc", { id: "desc" }, charts.map((chart) => `${chart.title}: ${describeChart(chart)}`).join(" ")),
    styleElement(chartStyle),
    el("rect", { ...size, ...filled("paper") }),
    parts,
  );
  return `${svg.markup}\n`;
}

/** A chart as an SVG element for a page whose style sheet has `chartStyle`, without ids. It is wider if it needs that. */
export function chartSvg(chart: Chart, minWidth = MIN_WIDTH - 2 * MARGIN): Markup {
  const width = Math.max(minWidth, measureWidth(chart));
  const { markup, height } = drawWithHead(chart, width);
  const label = `${chart.title}: ${describeChart(chart)}`;
  return svgImage({ class: "chart", width: Math.ceil(width), height: Math.ceil(height), label }, markup);
}

/** The width that a chart needs. A series fits into any width. */
const measureWidth = (chart: Chart): number => (chart.kind === "series" ? 0 : measureRows(chart));

/** Draws a chart below its title and note. */
function drawWithHead(chart: Chart, width: number): SvgDrawing {
  const size = chart.note === "" ? SMALL_TITLE : TITLE;
  const title = svgText(truncateToWidth(cleanLine(chart.title), width, size), 0, size, { size, bold: true });
  const notes = chart.note === "" ? [] : wrapToWidth(cleanLine(chart.note), width, NOTE);
  const top = size + 8 + notes.length * NOTE * 1.45;
  const { markup, height } = drawChart(chart, width);
  const head = [
    title,
    notes.map((text, at) =>
      svgText(text, 0, size + 8 + (at + 0.75) * NOTE * 1.45, { size: NOTE, ink: "muted" }),
    ),
  ];
  const down = top + (notes.length > 0 ? 12 : 0);
  return {
    markup: el("g", head, el("g", { transform: `translate(0 ${down})` }, markup)),
    height: down + height,
  };
}

function drawChart(chart: Chart, width: number): SvgDrawing {
  if (chart.kind === "series") return seriesSvg(chart, width);
  return chart.kind === "bars" ? barsSvg(chart, width) : intervalsSvg(chart, width);
}

/** The look of charts: text and colors, which suit light and dark mode and color-blind readers. */
import type { ChartMood } from "../../charts/charts.ts";
import { displayWidth, truncate } from "../text.ts";
import { wrapText } from "../wrap.ts";
import { type Attributes, el, type Markup } from "./element.ts";

/**
 * Colors as [light mode, dark mode]. Good and bad are the blue and the vermilion of M. Okabe and K. Ito's palette
 * (jfly.uni-koeln.de/color), adjusted to a contrast of at least 4.5 to 1 with the paper.
 */
const inks = {
  paper: ["#ffffff", "#0f1318"],
  ink: ["#1f2328", "#e6e9ed"],
  muted: ["#59636e", "#9da7b3"],
  grid: ["#d8dee4", "#2f363f"],
  neutral: ["#4b6a88", "#8fb0d0"],
  good: ["#0067a8", "#58b1ea"],
  bad: ["#b34700", "#f28e4b"],
} as const;
export type ChartInk = keyof typeof inks;

const DARK = "@media screen and (prefers-color-scheme:dark)";

/** In dark mode, the classes override the attributes. */
const rules = (mode: 0 | 1) =>
  Object.entries(inks)
    .map(([name, pair]) => `.pt-${name}{fill:${pair[mode]}}.pt-${name}-line{stroke:${pair[mode]}}`)
    .join("");

/** The style sheet of charts. It only contains dark mode, because the attributes have the colors of light mode and print. */
export const chartStyle = `${DARK}{${rules(1)}}`;

/** Returns a color by name, for pages that contain charts. */
export const getInkColor = (ink: ChartInk, dark: boolean): string => inks[ink][dark ? 1 : 0];

export const filled = (ink: ChartInk): Attributes => ({ class: `pt-${ink}`, fill: inks[ink][0] });
export const stroked = (ink: ChartInk, width = 1): Attributes => ({
  class: `pt-${ink}-line`,
  stroke: inks[ink][0],
  "stroke-width": width,
  fill: "none",
});

/** Never red and green: good is blue, bad is vermilion. */
export const getMoodInk = (mood: ChartMood | undefined): ChartInk => mood ?? "neutral";

const FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
/** Approximate width of a column of text relative to the font size, because the text cannot be measured here. */
const COLUMN_EM = 0.56;

export interface TextStyle {
  readonly size: number;
  readonly ink?: ChartInk;
  readonly anchor?: "start" | "middle" | "end";
  readonly bold?: boolean;
}

/** A line of text; y is its baseline. */
export function svgText(
  text: string,
  x: number,
  y: number,
  { size, ink = "ink", anchor, bold }: TextStyle,
): Markup {
  return el(
    "text",
    {
      x,
      y,
      ...filled(ink),
      "font-family": FONT,
      "font-size": size,
      "text-anchor": anchor,
      "font-weight": bold ? 600 : null,
    },
    text,
  );
}

export const estimateWidth = (text: string, size: number) => displayWidth(text) * size * COLUMN_EM;

export const truncateToWidth = (text: string, width: number, size: number) =>
  truncate(text, Math.max(1, countColumns(width, size)));

export const wrapToWidth = (text: string, width: number, size: number) =>
  wrapText(text, Math.max(1, countColumns(width, size)));

/** The columns of text that fit into a width. A text fits into its own estimated width, whatever rounding does. */
const countColumns = (width: number, size: number) => Math.floor(width / (size * COLUMN_EM) + 1e-6);

/** How charts look: colours that hold on light and dark and for the colour-blind, type, and the parts all charts share. */
import type { ChartMood } from "../../charts/charts.ts";
import { displayWidth, truncate } from "../text.ts";
import { wrapText } from "../wrap.ts";
import { type Attributes, el, type Markup } from "./element.ts";

/**
 * Ink of each kind as [light, dark]. Good and bad are the blue and the vermilion of M. Okabe and K. Ito's set
 * (jfly.uni-koeln.de/color), darkened or lightened until they stand out 4.5 to 1 from the paper.
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

/** Classes take the place of the attributes where it is dark. */
const rules = (of: 0 | 1) =>
  Object.entries(inks)
    .map(([name, pair]) => `.pt-${name}{fill:${pair[of]}}.pt-${name}-line{stroke:${pair[of]}}`)
    .join("");

/** The style that charts need where they stand; of paper and print the attributes tell already. */
export const chartStyle = `${DARK}{${rules(1)}}`;

/** The colours by name, for the page that charts stand in. */
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
/** A column of text is about so wide, in parts of the type's size; there is no way to measure. */
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

/** The width that a text takes about. */
export const estimateWidth = (text: string, size: number) => displayWidth(text) * size * COLUMN_EM;

/** As much of a text as a width holds. */
export const truncateToWidth = (text: string, width: number, size: number) =>
  truncate(text, Math.max(1, Math.floor(width / (size * COLUMN_EM))));

/** Lines that a width holds. */
export const wrapToWidth = (text: string, width: number, size: number) =>
  wrapText(text, Math.max(1, Math.floor(width / (size * COLUMN_EM))));

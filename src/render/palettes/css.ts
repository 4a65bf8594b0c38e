/** Formats colors for SVG and CSS. */
import type { Rgb } from "./palette.ts";

export const toCssColor = ([red, green, blue]: Rgb) =>
  `#${[red, green, blue].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

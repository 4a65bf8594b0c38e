/** Colours as SVG and CSS write them. */
import type { Rgb } from "./palette.ts";

export const toCssColor = ([red, green, blue]: Rgb) =>
  `#${[red, green, blue].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

/** Colors text by its meaning, within the color support of the terminal. */
import { Chalk, type ChalkInstance } from "chalk";
import type { Tone } from "../contract/resource.ts";
import type { RenderOptions } from "./options.ts";

/** What a text means. Color is never the only indication. */
export type Style = Tone;

/** Colors a text. Returns it unchanged without a style or without color support. */
export type Paint = (text: string, style?: Style | null) => string;

/** Creates a chalk instance for the color support in the options. Plain mode has no color. */
export function chalkFor(options: Pick<RenderOptions, "color" | "plain">): ChalkInstance {
  return new Chalk({ level: options.plain ? 0 : options.color });
}

/** Creates the paint function for the options. Its text must already be cleaned. */
export function painter(options: Pick<RenderOptions, "color" | "plain">): Paint {
  const chalk = chalkFor(options);
  const styles = { good: chalk.green, bad: chalk.red, muted: chalk.dim, strong: chalk.bold };
  return (text, style) => (style ? styles[style](text) : text);
}

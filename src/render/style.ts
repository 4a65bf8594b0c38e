/** Semantic colouring: what a text means, in the colours the terminal has. */
import { Chalk, type ChalkInstance } from "chalk";
import type { RenderOptions } from "./options.ts";

/** What a text means to its reader; never told by colour alone. */
export type Style = "good" | "bad" | "muted" | "strong";

/** Colours a text; returns it unchanged without a style or without colour. */
export type Paint = (text: string, style?: Style | null) => string;

/** Chalk at the level the options allow: none where they are plain. */
export function chalkFor(options: Pick<RenderOptions, "color" | "plain">): ChalkInstance {
  return new Chalk({ level: options.plain ? 0 : options.color });
}

/** The painter of the options. The text must be clean already. */
export function painter(options: Pick<RenderOptions, "color" | "plain">): Paint {
  const chalk = chalkFor(options);
  const styles = { good: chalk.green, bad: chalk.red, muted: chalk.dim, strong: chalk.bold };
  return (text, style) => (style ? styles[style](text) : text);
}

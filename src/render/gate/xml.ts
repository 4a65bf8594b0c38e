/** Writes XML 1.0 in which text from anywhere stays text. */
import { BRACKET_COMMAND, cleanBlock, cleanLine } from "../text.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Also what a CI runner would read in its log for a command: `::` at the start of a line, and `##[` and its like. */
const escapeXml = (clean: string) =>
  clean
    .replace(/[&<>"']/g, (found) => ENTITIES[found] ?? found)
    .replace(/^(\s*):(?=:)/gm, "$1&#58;")
    .replace(BRACKET_COMMAND, "##$1&#91;");

/** A text between tags: what XML does not allow is a visible escapeXml already, line feeds stay. */
export const xmlText = (text: string) => escapeXml(cleanBlock(text));

/** An element's start, with its attributes, each on one line. */
export function xmlTag(name: string, attributes: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(cleanLine(String(value)))}"`,
  );
  return `<${name}${pairs.join("")}`;
}

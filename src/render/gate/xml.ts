/** Builds XML 1.0 from untrusted text. */
import { BRACKET_COMMAND, cleanBlock, cleanLine, LINE_COMMAND, MAX_TEXT_LENGTH } from "../text.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes XML, and also commands that a CI runner would read from its log: `::` at the start of a line, `##[`. */
const escapeXml = (text: string) =>
  text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
    .replace(LINE_COMMAND, "&#58;")
    .replace(BRACKET_COMMAND, "##$1&#91;");

/** The text of an element lists many findings, so that it may be longer than other texts. */
const MAX_LIST_LENGTH = 20 * MAX_TEXT_LENGTH;

/** Text between tags. Characters that XML forbids become visible escapes; line feeds are kept. */
export const xmlText = (text: string) => escapeXml(cleanBlock(text, MAX_LIST_LENGTH));

/** The start of an element with its attributes, without the closing `>`. Line feeds in values are escaped. */
export function xmlTag(name: string, attributes: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(cleanLine(String(value)))}"`,
  );
  return `<${name}${pairs.join("")}`;
}

/** Builds XML 1.0 from untrusted text. */
import { cleanBlock, cleanLine, escapeCommands, MAX_TEXT_LENGTH } from "../text.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes XML, and also commands that a CI service would execute in its log. */
const escapeXml = (text: string) =>
  escapeCommands(
    text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character),
    (character) => `&#${character.charCodeAt(0)};`,
  );

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

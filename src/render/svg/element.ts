/** Builds SVG and HTML as text: what comes from anywhere is escaped, and numbers are always written the same way. */
import { BRACKET_COMMAND, cleanLine } from "../text.ts";

/** Text that is markup already. Only this file makes it. */
export interface Markup {
  readonly markup: string;
}

/** Text, markup, or nothing. */
export type Child = string | number | Markup | null | undefined | false | readonly Child[];
export type Attributes = Readonly<Record<string, string | number | null | undefined | false>>;

/** Decimals of a coordinate; a thousandth of a pixel is seen by nobody. */
const DECIMALS = 3;
const VOID = new Set(["area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"]);

/** A number with three decimals at most, without needless zeros: the same on every machine. 0 where it is none. */
export function num(value: number): string {
  if (!Number.isFinite(value)) return "0";
  const rounded = Math.abs(value) < 1e15 ? Number(value.toFixed(DECIMALS)) : value;
  return String(rounded + 0);
}

/**
 * An element of SVG or HTML. Attributes that are null, undefined or false are left out; names of elements and
 * attributes are the caller's own, never from data.
 */
export function el(name: string, attributes: Attributes = {}, ...children: readonly Child[]): Markup {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined && value !== false)
    .map(([key, value]) => ` ${key}="${escapeText(typeof value === "number" ? num(value) : String(value))}"`)
    .join("");
  if (VOID.has(name)) return { markup: `<${name}${written}/>` };
  const inner = renderChild(children);
  return { markup: `<${name}${written}>${inner}</${name}>` };
}

/** Several children as one. */
export const fragment = (...children: readonly Child[]): Markup => ({ markup: renderChild(children) });

/** The whole text of a style element; of this program's own making, never from data. */
export function styleElement(css: string): Markup {
  if (css.includes("<")) throw new Error("A style sheet holds no markup");
  return { markup: `<style>${css}</style>` };
}

/** An HTML page. */
export const htmlPage = (attributes: Attributes, ...children: readonly Child[]): string =>
  `<!DOCTYPE html>\n${el("html", attributes, ...children).markup}\n`;

/**
 * Text for between tags and for attributes; what XML forbids and what cannot be seen is told as an escape, and nothing is
 * a command to a CI service in whose log a page is printed.
 */
export function escapeText(text: string): string {
  return cleanLine(text.toWellFormed())
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replace(BRACKET_COMMAND, "##$1&#91;");
}

function renderChild(child: Child): string {
  if (child === null || child === undefined || child === false) return "";
  if (typeof child === "string") return escapeText(child);
  if (typeof child === "number") return num(child);
  if (isList(child)) return child.map(renderChild).join("");
  return child.markup;
}

const isList = (child: Child): child is readonly Child[] => Array.isArray(child);

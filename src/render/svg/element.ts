/** Builds SVG and HTML as text. All text is escaped, and numbers have the same format on every machine. */
import { cleanLine, escapeCommands, escapeLine } from "../text.ts";

class MarkupText {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Text that is already markup. Only this file creates it. */
export type Markup = MarkupText;

/** Text, markup, or nothing. */
export type Child = string | number | Markup | null | undefined | false | readonly Child[];
export type Attributes = Readonly<Record<string, string | number | null | undefined | false>>;

/** Decimals of a coordinate. Smaller differences are not visible. */
const DECIMALS = 3;
/** Attributes that contain data for the browser, which is never truncated. */
const DATA_ATTRIBUTES = new Set(["d", "href"]);
/** Attributes whose value the browser sends back, so it must not change. */
const EXACT_ATTRIBUTES = new Set(["value"]);
const VOID = new Set(["area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"]);

/** Formats a number with at most three decimals and without trailing zeros. Returns `0` if it is not finite. */
export function num(value: number): string {
  if (!Number.isFinite(value)) return "0";
  const rounded = Math.abs(value) < 1e15 ? Number(value.toFixed(DECIMALS)) : value;
  return String(rounded + 0);
}

/**
 * Creates an SVG or HTML element. Attributes that are null, undefined or false are omitted. Names of elements and
 * attributes are not escaped, so they must not come from data.
 */
export function el(name: string, attributes: Attributes, ...children: readonly Child[]): Markup;
export function el(name: string, ...children: readonly Child[]): Markup;
export function el(name: string, ...content: readonly (Attributes | Child)[]): Markup {
  const [first, ...rest] = content;
  const attributes = isAttributes(first) ? first : {};
  const children = (isAttributes(first) ? rest : content) as readonly Child[];
  const attributeText = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined && value !== false)
    .map(
      ([key, value]) =>
        ` ${key}="${escapeAttribute(key, typeof value === "number" ? num(value) : String(value))}"`,
    )
    .join("");
  if (VOID.has(name)) return new MarkupText(`<${name}${attributeText}/>`);
  return new MarkupText(`<${name}${attributeText}>${renderChild(children)}</${name}>`);
}

const isAttributes = (content: Attributes | Child): content is Attributes =>
  typeof content === "object" &&
  content !== null &&
  !Array.isArray(content) &&
  !(content instanceof MarkupText);

/** An SVG element of this size in pixels. `label` says what it shows. */
export const svgImage = (
  {
    width,
    height,
    label,
    ...attributes
  }: Attributes & Record<"width" | "height", number> & { label: string },
  ...children: readonly Child[]
): Markup =>
  el(
    "svg",
    {
      ...attributes,
      ...{ viewBox: `0 0 ${width} ${height}`, width, height },
      ...{ role: "img", "aria-label": label },
    },
    ...children,
  );

export const fragment = (...children: readonly Child[]): Markup => new MarkupText(renderChild(children));

/** Creates a style element. The CSS is not escaped, so it must not come from data. */
export function styleElement(css: string): Markup {
  if (css.includes("<")) throw new Error("A style sheet must not contain markup");
  return new MarkupText(`<style>${css}</style>`);
}

export const htmlPage = (...children: readonly Child[]): string =>
  `<!DOCTYPE html>\n${el("html", { lang: "en" }, ...children).markup}\n`;

function escapeAttribute(name: string, value: string): string {
  if (EXACT_ATTRIBUTES.has(name)) return escapeExactly(value);
  return DATA_ATTRIBUTES.has(name) ? escapeMarkup(escapeLine(value)) : escapeText(value);
}

/**
 * Escapes text for elements and attributes, and truncates it. Characters that XML forbids and invisible characters become
 * visible escapes.
 */
export const escapeText = (text: string) => escapeMarkup(cleanLine(text.toWellFormed()));

/**
 * Escapes markup, and characters that browsers would change or people cannot see, for which browsers put in the same
 * characters. HTML cannot express NUL and the controls of ISO 8859.
 */
const escapeExactly = (text: string) =>
  escapeMarkup(text.toWellFormed().replaceAll(/[\0\x80-\x9f]/g, "\ufffd")).replaceAll(
    /[\x01-\x1f\x7f\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `&#${character.codePointAt(0)};`,
  );

/** Escapes markup, and commands for CI services, because a page may be printed to a CI log. */
function escapeMarkup(text: string): string {
  const escaped = text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
  return escapeCommands(escaped, (character) => `&#${character.charCodeAt(0)};`);
}

function renderChild(child: Child): string {
  if (child === null || child === undefined || child === false) return "";
  if (typeof child === "string") return escapeText(child);
  if (typeof child === "number") return num(child);
  if (isList(child)) return child.map(renderChild).join("");
  return child.markup;
}

const isList = (child: Child): child is readonly Child[] => Array.isArray(child);

/** Parts of pages about one thing: its details as the command line lists them, links, drawings and commands. */
import { EMPTY } from "../render/columns.ts";
import type { Detail } from "../render/details.ts";
import { withLineBreaks } from "../render/html/blocks.ts";
import { formatNumber } from "../render/numbers.ts";
import type { Style } from "../render/style.ts";
import { type Child, el, type Markup } from "../render/svg/element.ts";
import { formatIsoTime, ISO_TIME, showName } from "./cells.ts";
import { quoteArgument } from "./command-line.ts";

const classes: Partial<Record<Style, string>> = { good: "good", bad: "bad", muted: "note", strong: "strong" };

/** Labels and values. The value of a label in `links` is a link. */
export function detailList(
  details: readonly Detail[],
  links: Readonly<Record<string, string | null>> = {},
): Markup {
  return el(
    "dl",
    { class: "details" },
    details.map(([label, value, style]) => {
      const href = value === null ? null : links[label];
      const text = renderValue(value);
      return el(
        "div",
        el("dt", label),
        el("dd", { class: style && classes[style] }, href ? el("a", { href }, text) : text),
      );
    }),
  );
}

function renderValue(value: Detail[1]): Child {
  if (value === null) return EMPTY;
  if (typeof value === "number") return formatNumber(value, { tty: true });
  return ISO_TIME.test(value)
    ? el("time", { datetime: value }, formatIsoTime(value))
    : withLineBreaks(showName(value));
}

/** Links to pages about the same. Empty entries are left out. */
export function linkList(
  label: string,
  links: ReadonlyArray<readonly [text: string, href: string] | null | undefined | false | "">,
): Markup {
  return el(
    "nav",
    { "aria-label": label, class: "links" },
    el(
      "ul",
      links.flatMap((link) => (link ? [el("li", el("a", { href: link[1] }, showName(link[0])))] : [])),
    ),
  );
}

/** A drawing that scrolls on a narrow screen instead of becoming too small to read. */
export const drawing = (label: string, svg: Markup, className = "drawing"): Markup =>
  el("figure", { class: className, tabindex: 0, role: "region", "aria-label": label }, svg);

/** A paragraph in small print. */
export const noteText = (...text: readonly Child[]): Markup => el("p", { class: "note" }, text);

export const commandCode = (...command: readonly string[]): Markup =>
  el("code", ["playtest", ...command].map(quoteArgument).join(" "));

/** The command that prints a part of a page. */
export const commandNote = (command: readonly string[]): Markup =>
  noteText("In a terminal: ", commandCode(...command));

/** What is shown instead of data. */
export const emptyNote = (...text: readonly Child[]): Markup => el("div", { class: "empty" }, el("p", text));

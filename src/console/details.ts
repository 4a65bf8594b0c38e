/** Parts of pages about one thing: its labels and values, links, drawings, and the commands that print a part of the page. */
import { EMPTY } from "../render/columns.ts";
import type { Detail } from "../render/details.ts";
import { withLineBreaks } from "../render/html/blocks.ts";
import { formatNumber } from "../render/numbers.ts";
import type { RenderOptions } from "../render/options.ts";
import { type Child, el, type Markup } from "../render/svg/element.ts";
import { quoteArgument } from "./command-line.ts";
import { formatIsoTime } from "./elements.ts";

/** How values of details are written: times in UTC instead of ages, so that a page only changes when its data does. */
export const PAGE_OPTIONS: RenderOptions = {
  ...{ width: 0, color: 0, plain: true, wide: true, tty: false, now: 0, tz: "UTC" },
};

/** A table of labels and values. `links` has the addresses of values by label. */
export function detailTable(
  caption: string,
  details: readonly Detail[],
  links: Readonly<Record<string, string | null>> = {},
): Markup {
  const rows = details.map(([label, value]) => {
    const href = links[label] ?? null;
    const content = detailValue(value);
    return el(
      "tr",
      {},
      el("th", { scope: "row", class: "label" }, label),
      el("td", {}, href === null || value === null ? content : el("a", { href }, content)),
    );
  });
  return el("table", { class: "details" }, el("caption", {}, caption), el("tbody", {}, rows));
}

function detailValue(value: Detail[1]): Child {
  if (value === null) return EMPTY;
  if (typeof value === "number") return formatNumber(value, { tty: true });
  return ISO_TIME.test(value) ? el("time", { datetime: value }, formatIsoTime(value)) : withLineBreaks(value);
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Links to pages about the same. Null entries are left out. */
export function linkList(
  label: string,
  links: ReadonlyArray<readonly [text: string, href: string] | null>,
): Markup {
  return el(
    "nav",
    { "aria-label": label, class: "links" },
    el(
      "ul",
      {},
      links.flatMap((link) => (link ? [el("li", {}, el("a", { href: link[1] }, link[0]))] : [])),
    ),
  );
}

/** A drawing that scrolls on a narrow screen instead of becoming too small to read. */
export const drawing = (label: string, svg: Markup): Markup =>
  el("figure", { class: "drawing", tabindex: 0, role: "region", "aria-label": label }, svg);

/** The command that prints a part of a page. */
export const commandNote = (command: readonly string[]): Markup =>
  el(
    "p",
    { class: "note" },
    "In a terminal: ",
    el("code", {}, ["playtest", ...command].map(quoteArgument).join(" ")),
  );

/** What is shown instead of data. */
export const emptyNote = (...text: readonly Child[]): Markup =>
  el("div", { class: "empty" }, el("p", {}, text));

/** Writes a report as one page of HTML: no script, nothing fetched, every text from outside escaped by the builder. */

import { truncateText } from "../gate/words.ts";
import { pageHead } from "../html/head.ts";
import { difference } from "../palettes/index.ts";
import { filled, getMoodInk, stroked } from "../svg/chart-theme.ts";
import { type Child, el, fragment, htmlPage, type Markup } from "../svg/element.ts";
import { roomSvg } from "../svg/heatmap-room.ts";
import type { ReportBlock, ReportCell, ReportDocument, ReportSection, TableBlock } from "./blocks.ts";

/** A text takes at most so many units, so that one cannot push out the others. */
const MAX_TEXT = 2000;
/** Pixels of a room's picture and of a bar. */
const ROOM = 480;
const BAR = { width: 120, height: 12 } as const;

const marks = { passed: "✓ ", failed: "✗ ", inconclusive: "? " } as const;

/** The whole page. */
export function reportHtml({ title, subtitle, verdict, facts, sections, footer }: ReportDocument): string {
  const reasons = verdict.reasons.map((reason) => el("li", {}, withLineBreaks(reason)));
  return htmlPage(
    { lang: "en" },
    pageHead(truncateText(title, MAX_TEXT)),
    el(
      "body",
      {},
      el(
        "header",
        {},
        el("h1", {}, withLineBreaks(title)),
        el("p", { class: "note" }, withLineBreaks(subtitle)),
      ),
      el(
        "main",
        {},
        el(
          "section",
          { class: `verdict ${verdict.state}`, "aria-labelledby": "verdict" },
          el(
            "h2",
            { id: "verdict" },
            el("span", { "aria-hidden": "true" }, marks[verdict.state]),
            verdict.title,
          ),
          el("p", {}, withLineBreaks(verdict.sentence)),
          reasons.length > 0 && el("ul", {}, reasons),
        ),
        el(
          "dl",
          {},
          facts.map(({ label, value, mood }) =>
            el("div", {}, el("dt", {}, label), el("dd", { class: mood }, value)),
          ),
        ),
        sections.map(section),
      ),
      el("footer", {}, el("p", {}, footer)),
    ),
  );
}

function section({ id, title, blocks }: ReportSection): Markup {
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), blocks.map(block));
}

function block(one: ReportBlock): Markup {
  switch (one.kind) {
    case "text":
      return el("p", {}, withLineBreaks(one.text));
    case "note":
      return el("p", { class: "note" }, withLineBreaks(one.text));
    case "missing":
      return el("p", { class: "missing" }, withLineBreaks(one.text));
    case "heading":
      return el("h3", {}, withLineBreaks(one.text));
    case "list":
      return el(
        "ul",
        {},
        one.items.map((cells) =>
          el(
            "li",
            {},
            cells.map((cell, at) => [at > 0 && " · ", renderCell(cell)]),
          ),
        ),
      );
    case "quotes":
      return fragment(one.quotes.map(quote));
    case "rooms":
      return fragment(
        el("p", { class: "note" }, withLineBreaks(one.colours)),
        el("div", { class: "rooms" }, one.rooms.map(room)),
      );
    case "table":
      return table(one);
  }
}

function quote({ text, source }: { readonly text: string; readonly source: string }): Markup {
  return el(
    "figure",
    {},
    el("blockquote", {}, el("p", {}, withLineBreaks(text))),
    el("figcaption", {}, withLineBreaks(source)),
  );
}

function room({ room, picture, told }: Extract<ReportBlock, { kind: "rooms" }>["rooms"][number]): Markup {
  const { markup, height } = roomSvg(room, picture, { palette: difference, width: ROOM, map: null });
  const label = `${room.room}: ${told}`;
  const attributes = { viewBox: `0 0 ${ROOM} ${Math.ceil(height)}`, width: ROOM, height: Math.ceil(height) };
  return el(
    "figure",
    {},
    el("svg", { ...attributes, role: "img", "aria-label": truncateText(label, MAX_TEXT) }, markup),
  );
}

function table({ caption, columns, groups }: TableBlock): Markup {
  const aligned = (at: number, more = "") => {
    const { right, tight, wide } = columns[at] ?? {};
    const names = [right && "right", tight && "tight", wide && "wide", more].filter(Boolean).join(" ");
    return names === "" ? null : names;
  };
  const heads = columns.map(({ title }, at) =>
    el("th", { scope: "col", class: aligned(at) }, withLineBreaks(title)),
  );
  const row = (cells: readonly ReportCell[]) =>
    el(
      "tr",
      {},
      cells.map((cell, at) =>
        at === 0
          ? el("th", { scope: "row", class: aligned(at) }, renderCell(cell))
          : el("td", { class: aligned(at, cell.mood ?? "") }, renderCell(cell)),
      ),
    );
  const bodies = groups.map(({ title, mood, rows }) =>
    el(
      "tbody",
      {},
      title !== "" &&
        el(
          "tr",
          { class: "group" },
          el("th", { scope: "rowgroup", colspan: columns.length, class: mood }, title),
        ),
      rows.map(row),
    ),
  );
  return el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), bodies);
}

function renderCell({ text, code, bar, mood, under }: ReportCell): Child {
  const told = code ? el("code", {}, breakable(text)) : withLineBreaks(text);
  if (under !== undefined) return [told, el("br"), el("code", {}, under)];
  return bar === undefined ? told : [barSvg(bar, mood), el("span", { class: "num" }, told)];
}

/** A bar of -1 to 1 from the middle; its number stands beside it, so it says nothing of its own. */
function barSvg(value: number, mood: ReportCell["mood"]): Markup {
  const middle = BAR.width / 2;
  const long = Math.min(middle, value === 0 ? 0 : Math.max(1, Math.abs(value) * middle));
  return el(
    "svg",
    { class: "bar", viewBox: `0 0 ${BAR.width} ${BAR.height}`, ...BAR, "aria-hidden": "true" },
    el("line", { x1: middle, x2: middle, y1: 0, y2: BAR.height, ...stroked("muted") }),
    el("rect", {
      x: value < 0 ? middle - long : middle,
      y: 1.5,
      width: long,
      height: BAR.height - 3,
      ...filled(getMoodInk(mood)),
    }),
  );
}

/** A tag on a narrow screen is broken behind its kind first. */
const breakable = (text: string): Child =>
  truncateText(text, MAX_TEXT)
    .split(/(?<=:)/)
    .map((part, at) => [at > 0 && el("wbr"), part]);

/** A text with its line feeds. */
function withLineBreaks(text: string): Child {
  const parts = truncateText(text, MAX_TEXT).replaceAll("\r\n", "\n").split("\n");
  return parts.map((part, at) => [at > 0 && el("br"), part]);
}

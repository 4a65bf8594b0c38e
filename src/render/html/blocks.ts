/** Writes blocks of a report or page as HTML. The element builder escapes all text. */
import { difference, getPalette } from "../palettes/index.ts";
import type { ReportBlock, ReportCell, TableBlock } from "../report/blocks.ts";
import { type Child, el, fragment, type Markup, svgImage } from "../svg/element.ts";
import { roomSvg } from "../svg/heatmap-room.ts";
import { truncateText } from "../text.ts";

/** Maximum length of a text in UTF-16 units, so that one long text cannot push out the others. */
export const MAX_TEXT = 2000;
/** Pixels. */
const ROOM_WIDTH = 400;

export function renderBlock(content: ReportBlock): Markup {
  switch (content.kind) {
    case "text":
      return el("p", withLineBreaks(content.text));
    case "note":
      return el("p", { class: "note" }, withLineBreaks(content.text));
    case "missing":
      return el("p", { class: "missing" }, withLineBreaks(content.text));
    case "heading":
      return el("h3", withLineBreaks(content.text));
    case "list":
      return el(
        "ul",
        content.items.map((cells) =>
          el(
            "li",
            cells.map((cell, index) => [
              index > 0 && (cells[index - 1]?.line ? " " : " · "),
              cell.line ? el("span", { class: "line" }, renderCell(cell)) : renderCell(cell),
            ]),
          ),
        ),
      );
    case "quotes":
      return fragment(content.quotes.map(quote));
    case "facts":
      return el(
        "dl",
        content.facts.map(({ label, value }) =>
          el("div", el("dt", label), el("dd", value.replaceAll(" ", "\u00a0"))),
        ),
      );
    case "rooms":
      return fragment(
        content.colors !== "" && el("p", { class: "note" }, withLineBreaks(content.colors)),
        el("div", { class: "rooms" }, content.rooms.map(room)),
      );
    case "table":
      return table(content);
  }
}

function quote({ text, source }: { readonly text: string; readonly source: string }): Markup {
  return el(
    "figure",
    el("blockquote", el("p", withLineBreaks(text))),
    el("figcaption", withLineBreaks(source)),
  );
}

function room({ room, view, description }: Extract<ReportBlock, { kind: "rooms" }>["rooms"][number]): Markup {
  const palette = view.kind === "density" ? getPalette() : difference;
  const { markup, height } = roomSvg(room, view, { palette, width: ROOM_WIDTH, map: null });
  const label = `${room.room}: ${description}`;
  const size = { width: ROOM_WIDTH, height: Math.ceil(height) };
  return el("figure", svgImage({ ...size, label: truncateText(label, MAX_TEXT) }, markup));
}

function table({ caption, columns, groups }: TableBlock): Markup {
  const classNames = (column: number, mood = "") => {
    const { right, tight, wide } = columns[column] ?? {};
    const names = [right && "right", tight && "tight", wide && "wide", mood].filter(Boolean).join(" ");
    return names === "" ? null : names;
  };
  const heads = columns.map(({ title }, index) =>
    el("th", { scope: "col", class: classNames(index) }, withLineBreaks(title)),
  );
  const row = (cells: readonly ReportCell[]) =>
    el(
      "tr",
      cells.map((cell, index) =>
        index === 0
          ? el("th", { scope: "row", class: classNames(index) }, renderCell(cell))
          : el(
              "td",
              { class: classNames(index, cell.mood ?? "") },
              renderCell({ ...cell, text: joinValues(cell.text) }),
            ),
      ),
    );
  const bodies = groups.map(({ title, mood, rows }) =>
    el(
      "tbody",
      title !== "" &&
        el(
          "tr",
          { class: "group" },
          el("th", { scope: "rowgroup", colspan: columns.length, class: mood }, title),
        ),
      rows.map(row),
    ),
  );
  return el("table", el("caption", caption), el("thead", el("tr", heads)), bodies);
}

function renderCell({ href, ...cell }: ReportCell): Child {
  const content = href === undefined ? renderText(cell) : el("a", { href }, renderText(cell));
  return cell.strong ? el("strong", content) : content;
}

function renderText({ text, code, under }: ReportCell): Child {
  const content = code ? el("code", breakable(text)) : withLineBreaks(text);
  return under === undefined ? content : [content, el("br"), el("code", breakable(under))];
}

/** Keeps values such as `11 of 22` and `p = 0.007` on one line. */
const joinValues = (text: string): string =>
  text.replace(/(?<=\d) (?=of \d)|(?<=\bof) (?=\d)|(?<=\bp) (?=[=<])|(?<=[=<]) (?=\d)/g, "\u00a0");

/** Lets a narrow screen break a tag after its kind. */
const breakable = (text: string): Child =>
  truncateText(text, MAX_TEXT)
    .split(/(?<=:)/)
    .map((part, index) => [index > 0 && el("wbr"), part]);

/** Converts line feeds to line breaks, and shortens a text to `maxLength` characters. */
export function withLineBreaks(text: string, maxLength = MAX_TEXT): Child {
  const parts = truncateText(text, maxLength).replaceAll("\r\n", "\n").split("\n");
  return parts.map((part, index) => [index > 0 && el("br"), part]);
}

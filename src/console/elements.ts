/** Elements that several pages use. */
import {
  type CellValue,
  cellText,
  orderForTable,
  resolveAlign,
  type TableColumn,
} from "../render/columns.ts";
import { formatNumber } from "../render/numbers.ts";
import type { RenderOptions } from "../render/options.ts";
import { shortenIds } from "../render/short-ids.ts";
import type { Style } from "../render/style.ts";
import { type Child, el, fragment, type Markup } from "../render/svg/element.ts";
import { linkWith } from "./links.ts";
import type { PageInput } from "./page.ts";

const PEOPLE = { tty: true } as const;
/** Cells have times in UTC instead of ages, so that a page only changes when its data does. */
export const CELLS: RenderOptions = {
  width: 0,
  color: 0,
  plain: true,
  wide: true,
  tty: false,
  now: 0,
  tz: "UTC",
};

const styleClasses: Partial<Record<Style, string>> = { good: "good", bad: "bad", muted: "note" };

interface TableOptions<T> {
  /** Describes the table for screen readers. */
  readonly caption: string;
  /** The address that the row's first cell links to; null for none. */
  readonly link?: (row: T) => string | null;
  /** What is shown if there are no rows. */
  readonly empty: Child;
  /** The page, if its rows can be sorted, which requires that all of them are there. */
  readonly sortable?: Pick<PageInput, "path" | "search">;
}

/** A table of rows with the columns that the command line shows. The parameters `sort` and `order` of the page sort it. */
export function dataTable<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  { caption, link, empty, sortable }: TableOptions<T>,
): Markup {
  if (rows.length === 0) return el("div", { class: "empty" }, empty);
  const shown = orderForTable(columns).filter(({ wide }) => !wide);
  const sort = sortable && readSort(shown, sortable.search);
  const sorted = sort ? sortRows(rows, sort) : rows;
  const cells = shown.map((column) => toCells(column, sorted));
  const heads = cells.map(({ column, right }) => headCell(column, right, sort, sortable));
  const bodyRows = sorted.map((row, index) => {
    const href = link?.(row) ?? null;
    return el(
      "tr",
      {},
      cells.map((column, at) => bodyCell(column, index, at === 0, href)),
    );
  });
  return el(
    "div",
    { class: "table", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, heads)),
      el("tbody", {}, bodyRows),
    ),
  );
}

/** A column with the contents of its cells. */
interface CellColumn<T> {
  readonly column: TableColumn<T>;
  readonly right: boolean;
  readonly contents: readonly Child[];
  readonly classes: ReadonlyArray<string | null>;
}

/** Texts up to this length are not broken, in UTF-16 units. */
const SHORT = 24;

function toCells<T>(column: TableColumn<T>, rows: readonly T[]): CellColumn<T> {
  const values = rows.map((row) => column.value(row));
  const right = resolveAlign(column, values) === "right";
  const shortIds = shortenIds(column.shortens ? values.map(String) : []);
  const contents = values.map((value, index) => {
    if (typeof value === "number" && !column.format) return formatNumber(value, PEOPLE);
    const text = cellText(column, value, rows[index] as T, CELLS);
    return ISO_TIME.test(text)
      ? el("time", { datetime: text }, formatIsoTime(text))
      : (shortIds.get(text) ?? text);
  });
  const classes = rows.map((row, index) => {
    const content = contents[index];
    const isShort = typeof content === "string" && content.length <= SHORT;
    const style = typeof column.style === "function" ? column.style(row) : column.style;
    return (
      [right && "right", isShort && "short", style && styleClasses[style]].filter(Boolean).join(" ") || null
    );
  });
  return { column, right, contents, classes };
}

function bodyCell<T>(
  { contents, classes }: CellColumn<T>,
  row: number,
  isFirst: boolean,
  href: string | null,
): Markup {
  const text = contents[row];
  if (!isFirst) return el("td", { class: classes[row] }, text);
  return el("th", { scope: "row", class: classes[row] }, href === null ? text : el("a", { href }, text));
}

export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A time in UTC without seconds, such as `2026-03-01 12:00`. */
export const formatIsoTime = (iso: string) => iso.slice(0, 16).replace("T", " ");

interface Sort<T> {
  readonly column: TableColumn<T>;
  readonly descending: boolean;
}

function readSort<T>(columns: readonly TableColumn<T>[], search: URLSearchParams): Sort<T> | null {
  const column = columns.find(({ key }) => key === search.get("sort"));
  return column ? { column, descending: search.get("order") === "desc" } : null;
}

/** Sorts unknown values last, whatever the order. */
function sortRows<T>(rows: readonly T[], { column, descending }: Sort<T>): T[] {
  return rows.toSorted((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return compare(x, y) * (descending ? -1 : 1);
  });
}

const compare = (a: NonNullable<CellValue>, b: NonNullable<CellValue>) =>
  typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });

function headCell<T>(
  column: TableColumn<T>,
  right: boolean,
  sort: Sort<T> | null | undefined,
  sortable: TableOptions<T>["sortable"],
): Markup {
  const isSorted = sort?.column === column;
  const title = toTitle(column.header);
  const order = isSorted && !sort.descending ? "desc" : "asc";
  const content = sortable
    ? el(
        "a",
        { href: linkWith(sortable, { sort: column.key, order }) },
        title,
        isSorted && (sort.descending ? " ▼" : " ▲"),
      )
    : title;
  const ariaSort = isSorted ? (sort.descending ? "descending" : "ascending") : null;
  return el("th", { scope: "col", class: right && "right", "aria-sort": ariaSort }, content);
}

/** A header of the command line, such as `LAST SEEN`, as it is written on a page. */
const toTitle = (header: string) =>
  /^[A-Z0-9][A-Z0-9% ()-]*$/.test(header) && header !== "ID"
    ? header.charAt(0) + header.slice(1).toLowerCase()
    : header;

/** One choice of a filter. */
export interface FilterChoice {
  readonly value: string;
  readonly text?: string;
}

/** A field of a filter form: a choice if it has choices, otherwise text. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly FilterChoice[];
  /** The text of the choice that does not filter. */
  readonly any?: string;
  readonly placeholder?: string;
}

/** A form that changes the parameters of the page. `label` distinguishes it from other forms of the page. */
export function filterForm(
  { path, search }: Pick<PageInput, "path" | "search">,
  fields: readonly FilterField[],
  label = "Filters",
): Markup {
  const names = new Set(fields.map(({ name }) => name));
  const kept = [...search].filter(([name]) => !names.has(name) && name !== "offset");
  return el(
    "form",
    { class: "filters", method: "get", action: path, "aria-label": label },
    kept.map(([name, value]) => el("input", { type: "hidden", name, value })),
    fields.map((field) => filterField(field, search.get(field.name) ?? "")),
    el("button", { type: "submit" }, "Show"),
  );
}

function filterField({ name, label, choices, any, placeholder }: FilterField, current: string): Markup {
  const id = `filter-${name}`;
  const input = choices
    ? el(
        "select",
        { id, name, "data-submit": "" },
        any === undefined ? null : el("option", { value: "" }, any),
        withCurrent(choices, current).map(({ value, text }) =>
          el("option", { value, selected: value === current ? "" : null }, text ?? value),
        ),
      )
    : el("input", { id, name, value: current, placeholder, type: "text" });
  return el("div", {}, el("label", { for: id }, label), input);
}

/** The choices, with the current one if it is not among them, so that a link shows what it filters by. */
function withCurrent(choices: readonly FilterChoice[], current: string): readonly FilterChoice[] {
  const isKnown = current === "" || choices.some(({ value }) => value === current);
  return isKnown ? choices : [...choices, { value: current }];
}

/** Links to the pages of a list, and which of its items are shown. */
export function pager(
  input: Pick<PageInput, "path" | "search">,
  {
    offset,
    count,
    total,
    limit,
  }: { readonly offset: number; readonly count: number; readonly total: number; readonly limit: number },
): Markup | null {
  if (total <= count && offset === 0) return null;
  const previous = Math.max(0, offset - limit);
  return el(
    "nav",
    { class: "pager", "aria-label": "Pages" },
    offset > 0 &&
      el(
        "a",
        { href: linkWith(input, { offset: previous === 0 ? undefined : previous }), rel: "prev" },
        "Previous",
      ),
    el(
      "span",
      {},
      count === 0
        ? `Nothing from ${offset + 1} on (of ${total})`
        : `${offset + 1} to ${offset + count} of ${total}`,
    ),
    offset + count < total &&
      el("a", { href: linkWith(input, { offset: offset + limit }), rel: "next" }, "Next"),
  );
}

/** Facts as a list of labels and values. */
export function factList(facts: ReadonlyArray<readonly [label: string, value: Child]>): Markup {
  return el(
    "dl",
    {},
    facts.map(([label, value]) => el("div", {}, el("dt", {}, label), el("dd", {}, value))),
  );
}

/** The values of columns of one row as facts. */
export function columnFacts<T>(row: T, columns: readonly TableColumn<T>[], keys: readonly string[]): Markup {
  const chosen = columns.filter(({ key }) => keys.includes(key));
  return factList(chosen.map((column) => [toTitle(column.header), toCells(column, [row]).contents[0]]));
}

/** A section with a heading. */
export function section(id: string, title: string, ...body: readonly Child[]): Markup {
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), fragment(body));
}

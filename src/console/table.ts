/** Tables of rows with the columns that the command line shows. */
import type { ChartMood } from "../charts/charts.ts";
import { type CellValue, EMPTY, orderForTable, type TableColumn } from "../render/columns.ts";
import { filled, getMoodInk, stroked } from "../render/svg/chart-theme.ts";
import { type Child, el, type Markup } from "../render/svg/element.ts";
import { toTitle } from "../render/tables/columns.ts";
import { type CellColumn, toCells } from "./cells.ts";
import { emptyNote } from "./details.ts";
import { factList } from "./elements.ts";
import { linkWith } from "./links.ts";
import type { PageInput } from "./page.ts";

/**
 * What a cell draws: a share from 0 to 1, a change from -1 to 1 to the left or the right of a middle line, or a dot with the
 * ends of its interval, all from 0 to 1.
 */
export type CellBar =
  | number
  | { readonly change: number; readonly mood: ChartMood }
  | { readonly value: number; readonly low: number; readonly high: number };

interface TableOptions<T> {
  /** Describes the table for screen readers. */
  readonly caption: string;
  /** The address that the row's first cell links to; null for none. */
  readonly link?: (row: T) => string | null;
  /** The addresses that other cells link to, by the key of their column. */
  readonly links?: Readonly<Record<string, (row: T) => string | null>>;
  /** Bars that cells show beside their text, by the key of their column; null for none. */
  readonly bars?: Readonly<Record<string, (row: T) => CellBar | null>>;
  /** Whether each row becomes a list of labels and values on a phone, or already on a tablet. Not for tables whose numbers readers compare. */
  readonly stacks?: true | "early";
  /** What is shown if there are no rows. */
  readonly empty?: Child;
  /** The page, if its rows can be sorted, which requires that all of them are there. */
  readonly sortable?: Pick<PageInput, "path" | "search">;
}

/** A table of rows with the columns that the command line shows. The parameters `sort` and `order` of the page sort it. */
export function dataTable<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  options: TableOptions<T>,
): Markup {
  const { caption, empty, sortable, stacks } = options;
  if (rows.length === 0) return empty === undefined ? el("div", { class: "empty" }) : emptyNote(empty);
  const shown = orderForTable(columns).filter(({ wide }) => !wide);
  const sort = sortable && readSort(shown, sortable.search);
  const sorted = sort ? sortRows(rows, sort) : rows;
  const cells = shown.map((column) => toCells(column, sorted));
  const heads = cells.map(({ column, right }) => headCell(column, right, sort, sortable));
  const bodyRows = sorted.map((row, index) =>
    el(
      "tr",
      { role: stacks && "row" },
      cells.map((column, at) => bodyCell(column, { row, index, isFirst: at === 0 }, options)),
    ),
  );
  // Browsers drop the roles of elements that the style sheet no longer lays out as a table.
  const group = stacks && "rowgroup";
  return el(
    "div",
    {
      class: `table${stacks ? " stacks" : ""}${stacks === "early" ? " early" : ""}`,
      tabindex: 0,
      role: "region",
      "aria-label": caption,
    },
    el(
      "table",
      { role: stacks && "table" },
      el("caption", caption),
      el("thead", { role: group, class: sortable && "sorts" }, el("tr", { role: stacks && "row" }, heads)),
      el("tbody", { role: group }, bodyRows),
    ),
  );
}

interface CellPosition<T> {
  readonly row: T;
  readonly index: number;
  readonly isFirst: boolean;
}

function bodyCell<T>(
  { column, contents, classes }: CellColumn<T>,
  { row, index, isFirst }: CellPosition<T>,
  { link, links, stacks, bars }: TableOptions<T>,
): Markup {
  const text = contents[index];
  const href = (isFirst && link ? link : links?.[column.key])?.(row) ?? null;
  const content = href === null || text === EMPTY ? text : el("a", { href }, text);
  const className = classes[index];
  // A header without a text says nothing to a screen reader.
  if (isFirst && text !== "")
    return el("th", { scope: "row", class: className, role: stacks && "rowheader" }, content);
  const stacked = stacks && { role: "cell", "data-label": toTitle(column.header) };
  const bar = bars?.[column.key]?.(row) ?? null;
  return el("td", { class: className, ...stacked }, content, bar !== null && drawBar(bar));
}

/** The width and the height of a bar, pixels. */
const BAR = { width: 96, height: 10 } as const;

/** A bar. It is hidden from screen readers because its number is next to it. */
function drawBar(bar: CellBar): Markup {
  const size = { viewBox: `0 0 ${BAR.width} ${BAR.height}`, ...BAR };
  // A share is drawn as wide as its cell.
  const shape =
    typeof bar === "number" ? { class: "bar share", preserveAspectRatio: "none" } : { class: "bar" };
  return el("svg", { ...shape, ...size, "aria-hidden": "true" }, drawParts(bar));
}

function drawParts(bar: CellBar): Child {
  const track = { x: 0, y: 0, ...BAR, rx: 2 };
  const toWidth = (share: number, whole: number, min = 2) => (share === 0 ? 0 : Math.max(min, share * whole));
  if (typeof bar === "number")
    return [
      el("rect", { ...track, ...filled("grid") }),
      el("rect", { ...track, width: toWidth(bar, BAR.width, 0.5), ...filled("neutral") }),
    ];
  const middle = { x: BAR.width / 2, y: BAR.height / 2 };
  if ("value" in bar) {
    const toX = (value: number) => 4 + value * (BAR.width - 8);
    const line = { y1: middle.y, y2: middle.y };
    return [
      el("line", { x1: 0, x2: BAR.width, ...line, ...stroked("grid") }),
      el("line", { x1: toX(bar.low), x2: toX(bar.high), ...line, ...stroked("neutral", 2) }),
      el("circle", { cx: toX(bar.value), cy: middle.y, r: 4, ...filled("neutral") }),
    ];
  }
  const width = toWidth(Math.abs(bar.change), middle.x);
  return [
    el("line", { x1: middle.x, x2: middle.x, y1: 0, y2: BAR.height, ...stroked("muted") }),
    el("rect", {
      ...{ ...track, x: bar.change < 0 ? middle.x - width : middle.x, width },
      ...filled(getMoodInk(bar.mood)),
    }),
  ];
}

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

export function columnFacts<T>(row: T, columns: readonly TableColumn<T>[], keys: readonly string[]): Markup {
  const chosen = columns.filter(({ key }) => keys.includes(key));
  return factList(chosen.map((column) => [toTitle(column.header), toCells(column, [row]).contents[0]]));
}

/** The columns with these keys, in this order, even if the command line shows them elsewhere or only with --wide. */
export const chooseColumns = <T>(
  columns: readonly TableColumn<T>[],
  keys: readonly string[],
): TableColumn<T>[] =>
  keys.flatMap((key) =>
    columns.filter((column) => column.key === key).map(({ wide: _wide, last: _last, ...column }) => column),
  );

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

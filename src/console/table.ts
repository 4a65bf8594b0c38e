/** Tables of rows with the columns that the command line shows. */
import { orderForTable, type TableColumn } from "../render/columns.ts";
import { type Child, el, type Markup } from "../render/svg/element.ts";
import { type CellColumn, toCells, toTitle } from "./cells.ts";
import { factList } from "./elements.ts";
import { linkWith } from "./links.ts";
import type { PageInput } from "./page.ts";
import { readSort, type Sort, sortRows } from "./sorting.ts";

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

/** The values of columns of one row as facts. */
export function columnFacts<T>(row: T, columns: readonly TableColumn<T>[], keys: readonly string[]): Markup {
  const chosen = columns.filter(({ key }) => keys.includes(key));
  return factList(chosen.map((column) => [toTitle(column.header), toCells(column, [row]).contents[0]]));
}

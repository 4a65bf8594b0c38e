/** Sorts the rows of a table by the parameters `sort` and `order` of its page. */
import type { CellValue, TableColumn } from "../render/columns.ts";

export interface Sort<T> {
  readonly column: TableColumn<T>;
  readonly descending: boolean;
}

export function readSort<T>(columns: readonly TableColumn<T>[], search: URLSearchParams): Sort<T> | null {
  const column = columns.find(({ key }) => key === search.get("sort"));
  return column ? { column, descending: search.get("order") === "desc" } : null;
}

/** Sorts unknown values last, whatever the order. */
export function sortRows<T>(rows: readonly T[], { column, descending }: Sort<T>): T[] {
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

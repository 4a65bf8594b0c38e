/** Finds the list in an API response body, and converts any body to rows. */
import type { CellValue, TableColumn } from "./columns.ts";
import { isRecord, type JsonRecord } from "./paths.ts";

/** A list and its key in the body. */
export interface BodyList {
  readonly key: string;
  readonly items: readonly unknown[];
}

/** Returns the items of a page, or the only array among an object's values. Null if there is no array, or several. */
export function findList(body: JsonRecord): BodyList | null {
  if (Array.isArray(body.items) && "hasMore" in body) return { key: "items", items: body.items };
  let list: BodyList | null = null;
  for (const [key, value] of Object.entries(body)) {
    if (!Array.isArray(value)) continue;
    if (list) return null;
    list = { key, items: value };
  }
  return list;
}

/** The items of a body, one for each row: those of its list, those of a top-level array, or the body itself. */
export function toItems(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  return (isRecord(body) ? findList(body)?.items : null) ?? [body];
}

/** The values of a row by dotted key. */
export type BodyRow = ReadonlyMap<string, CellValue>;

/** Objects nested deeper than this are written as JSON text. */
const MAX_DEPTH = 8;

/**
 * Converts any body to rows and columns. Nested objects become dotted keys, lists become JSON text, and booleans become
 * `true` and `false`. An item that is not an object goes into the column `value`. Columns appear in the order of their
 * first use; those that `fields` names come first, in the order of `fields`.
 */
export function toRows(
  body: unknown,
  fields: readonly string[] = [],
): { rows: BodyRow[]; columns: TableColumn<BodyRow>[] } {
  const rows = toItems(body).map((item) => {
    const row = new Map<string, CellValue>();
    if (isRecord(item)) flatten(item, "", row, 0);
    else row.set("value", toValue(item));
    return row;
  });
  const keys = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const chosen = fields.flatMap((field) =>
    keys.filter((key) => key === field || key.startsWith(`${field}.`)),
  );
  const rest = keys.filter((key) => !chosen.includes(key));
  const columns = [...new Set([...chosen, ...rest])].map(toColumn);
  return { rows, columns };
}

function toColumn(key: string): TableColumn<BodyRow> {
  return { key, header: key, value: (row) => row.get(key) ?? null, shrink: 1 };
}

function flatten(value: JsonRecord, prefix: string, row: Map<string, CellValue>, depth: number): void {
  for (const [key, child] of Object.entries(value)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const open = isRecord(child) && depth < MAX_DEPTH && Object.keys(child).length > 0;
    if (open) flatten(child, path, row, depth + 1);
    else row.set(path, toValue(child));
  }
}

function toValue(value: unknown): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

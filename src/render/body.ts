/** Finds the list in an API body, and reads any body as rows. */
import type { CellValue, TableColumn } from "./columns.ts";
import { isRecord, type JsonRecord } from "./paths.ts";

/** The list in an object. */
export interface BodyList {
  readonly key: string;
  readonly items: readonly unknown[];
}

/** The items of a page, else the one array among an object's values; null where there is none, or several. */
export function findList(body: JsonRecord): BodyList | null {
  if (Array.isArray(body.items) && "hasMore" in body) return { key: "items", items: body.items };
  let found: BodyList | null = null;
  for (const [key, value] of Object.entries(body)) {
    if (!Array.isArray(value)) continue;
    if (found) return null;
    found = { key, items: value };
  }
  return found;
}

/** What a body holds one of a line: its list's items, a bare list's, else the body itself. */
export function toItems(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  return (isRecord(body) ? findList(body)?.items : null) ?? [body];
}

/** A row by dotted key. */
export type BodyRow = ReadonlyMap<string, CellValue>;

/** Deeper than this a value is JSON text. */
const MAX_DEPTH = 8;

/**
 * Any body as rows and columns: nested objects by dotted keys, lists as JSON text, flags as `true` and `false`;
 * an item that is no object is in the column `value`. The columns are those of all rows in the order met,
 * or, where `fields` are given, those that the fields name in the order given.
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

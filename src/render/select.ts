/** Selects fields of an API response body by dotted paths, such as `metadata.gameVersion`, or `rooms.room` for the items of a list. */
import type { CellValue, TableColumn } from "./columns.ts";
import { cleanLine } from "./text.ts";
import { UnknownFieldError } from "./unknown-field.ts";

/**
 * Returns the body with only the requested fields, in the requested order and their original nesting. In a page, or an
 * object with exactly one list, fields are selected from the items of the list, and the other values that are not objects
 * are kept. If the items do not have the fields, or the body is any other object, they are selected from the object
 * itself. A path continues into each item of a list. A field that only other items have is null. Throws
 * UnknownFieldError for a field that no item has.
 */
export function selectFields(body: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0) return body;
  if (Array.isArray(body)) {
    const picked = pickFields(body, fields);
    if (picked) return picked;
    throw unknownField(fields, body);
  }
  const list = isRecord(body) ? findList(body) : null;
  const items = list && pickFields(list.items, fields);
  if (isRecord(body) && list && items && items.length > 0) return replaceList(body, list.key, items);
  const own = pickFields([body], fields);
  if (own) return own[0];
  if (isRecord(body) && list && items) return replaceList(body, list.key, items);
  throw unknownField(fields, isRecord(body) && list ? [...list.items, omitKey(body, list.key)] : [body]);
}

function omitKey(body: JsonRecord, key: string): JsonRecord {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== key));
}

/** Replaces the list, and keeps the numbers, strings and booleans next to it. */
function replaceList(body: JsonRecord, key: string, items: readonly unknown[]): JsonRecord {
  const kept = Object.entries(body).filter(([name, value]) => name === key || typeof value !== "object");
  return Object.fromEntries(kept.map(([name, value]) => [name, name === key ? items : value]));
}

/** Selects the fields of every item. Returns null if there is a field that no item has. */
function pickFields(items: readonly unknown[], fields: readonly string[]): unknown[] | null {
  if (items.length === 0) return [];
  const known = fields.map((field) => resolvePath(items, field));
  return known.includes(null)
    ? null
    : items.map((item) => {
        const paths = fields.map((field, at) => resolvePath(item, field) ?? known[at] ?? [field]);
        return pickPaths(item, paths);
      });
}

function unknownField(fields: readonly string[], items: readonly unknown[]): UnknownFieldError {
  const unknown = fields.filter((field) => resolvePath(items, field) === null);
  const names = (unknown.length > 0 ? unknown : fields).map((field) => `"${cleanLine(field)}"`).join(", ");
  const available = listFields(items).map(cleanLine).join(", ");
  return new UnknownFieldError(
    `--fields: unknown field ${names}`,
    available === "" ? "The answer has no fields." : `Available: ${available}.`,
  );
}

/** A list and its key in the body. */
interface BodyList {
  readonly key: string;
  readonly items: readonly unknown[];
}

/** Returns the items of a page, or the only array among an object's values. Null if there is no array, or several. */
function findList(body: JsonRecord): BodyList | null {
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
type BodyRow = ReadonlyMap<string, CellValue>;

/** Objects nested deeper than this are written as JSON text. */
const MAX_DEPTH = 8;

/**
 * Converts any body to rows and columns. Nested objects become dotted keys, lists become JSON text, and booleans become
 * `true` and `false`. An item that is not an object goes into the column `value`. Columns appear in the order of their
 * first use.
 */
export function toRows(body: unknown): { rows: BodyRow[]; columns: TableColumn<BodyRow>[] } {
  const rows = toItems(body).map((item) => {
    const row = new Map<string, CellValue>();
    if (isRecord(item)) flatten(item, "", row, 0);
    else row.set("value", toValue(item));
    return row;
  });
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].map(toColumn);
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

/** The keys of a path, outermost first. */
type FieldPath = readonly string[];

type JsonRecord = Readonly<Record<string, unknown>>;

/** Fields nested deeper than this are not listed separately. */
const MAX_LISTED_DEPTH = 6;

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Splits a dotted field into the keys of a value, which may themselves contain dots. Returns null if the value does not
 * have the field. In a list, the first item that has the field decides. Null and empty lists accept any field, because
 * their fields are unknown.
 */
function resolvePath(value: unknown, field: string): FieldPath | null {
  if (value === null) return field.split(".");
  if (Array.isArray(value)) return resolveInList(value, field);
  if (!isRecord(value)) return null;
  if (Object.hasOwn(value, field)) return [field];
  for (let dot = field.indexOf("."); dot >= 0; dot = field.indexOf(".", dot + 1)) {
    const key = field.slice(0, dot);
    if (!Object.hasOwn(value, key)) continue;
    const rest = resolvePath(value[key], field.slice(dot + 1));
    if (rest) return [key, ...rest];
  }
  return null;
}

function resolveInList(items: readonly unknown[], field: string): FieldPath | null {
  if (items.length === 0) return field.split(".");
  for (const item of items) {
    const path = item === null ? null : resolvePath(item, field);
    if (path) return path;
  }
  return null;
}

/** Returns the value with only the fields that the paths name, in their original nesting. Missing fields are null. */
function pickPaths(value: unknown, paths: readonly FieldPath[]): unknown {
  if (Array.isArray(value)) return value.map((item) => pickPaths(item, paths));
  const groups = new Map<string, FieldPath[]>();
  for (const [key = "", ...rest] of paths) {
    const group = groups.get(key);
    if (group) group.push(rest);
    else groups.set(key, [rest]);
  }
  const entries = [...groups].map(([key, tails]): [string, unknown] => {
    const child = isRecord(value) && Object.hasOwn(value, key) ? value[key] : null;
    return [key, tails.some((tail) => tail.length === 0) ? child : pickPaths(child, tails)];
  });
  return Object.fromEntries(entries);
}

/** Lists all fields of a value as dotted paths, including those of nested objects and of list items. */
function listFields(value: unknown, depth = 0): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => listFields(item, depth)))];
  if (!isRecord(value) || depth >= MAX_LISTED_DEPTH) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const inner = listFields(child, depth + 1).map((field) => `${key}.${field}`);
    return isRecord(child) && inner.length > 0 ? inner : [key, ...inner];
  });
}

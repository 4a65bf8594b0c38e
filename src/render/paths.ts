/** Dotted paths into JSON values, such as `metadata.gameVersion`, or `rooms.room` for the items of a list. */

/** The keys of a path, outermost first. */
export type FieldPath = readonly string[];

export type JsonRecord = Readonly<Record<string, unknown>>;

/** Fields nested deeper than this are not listed separately. */
const MAX_DEPTH = 6;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Splits a dotted field into the keys of a value, which may themselves contain dots. Returns null if the value does not
 * have the field. In a list, the first item that has the field decides. Null and empty lists accept any field, because
 * their fields are unknown.
 */
export function resolvePath(value: unknown, field: string): FieldPath | null {
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
export function pickPaths(value: unknown, paths: readonly FieldPath[]): unknown {
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
export function listFields(value: unknown, depth = 0): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => listFields(item, depth)))];
  if (!isRecord(value) || depth >= MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const inner = listFields(child, depth + 1).map((field) => `${key}.${field}`);
    return isRecord(child) && inner.length > 0 ? inner : [key, ...inner];
  });
}

/** Selects fields of an API response body by dotted paths. */
import { findList } from "./body.ts";
import { isRecord, type JsonRecord, listFields, pickPaths, resolvePath } from "./paths.ts";
import { cleanLine } from "./text.ts";
import { UnknownFieldError } from "./unknown-field.ts";

export { type BodyRow as Row, toItems, toRows } from "./body.ts";

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

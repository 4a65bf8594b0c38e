/** Picks fields out of an API body by dotted paths. */
import { findList } from "./body.ts";
import { isRecord, type JsonRecord, listFields, pickPaths, resolvePath } from "./paths.ts";
import { cleanLine } from "./text.ts";
import { UnknownFieldError } from "./unknown-field.ts";

export { type BodyRow as Row, toItems, toRows } from "./body.ts";

/**
 * The body with only the fields asked for, nested as before, in the order asked for. Of a page, or of an object
 * with one list, they are picked from the list's items, and the numbers and flags beside the list stay; where
 * they are not the items' fields, and of any other object, from the object itself. Through a list a path goes
 * on in each item. A field that only other items have is null. Throws UnknownFieldError for a field that no item has.
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

/** The list picked, with the numbers, text and flags that stand beside it. */
function replaceList(body: JsonRecord, key: string, items: readonly unknown[]): JsonRecord {
  const kept = Object.entries(body).filter(([name, value]) => name === key || typeof value !== "object");
  return Object.fromEntries(kept.map(([name, value]) => [name, name === key ? items : value]));
}

/** The fields of every item; null where no item has one of the fields. */
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
  const named = (unknown.length > 0 ? unknown : fields).map((field) => `"${cleanLine(field)}"`).join(", ");
  const available = listFields(items).map(cleanLine).join(", ");
  return new UnknownFieldError(
    `--fields: unknown field ${named}`,
    available === "" ? "The answer has no fields." : `Available: ${available}.`,
  );
}

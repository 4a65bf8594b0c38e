/** Formats a response as compact text for a model. Text that players or games may have written is always quoted. */
import * as z from "zod";
import { marks } from "../contract/fields.ts";
import { tagTitle, tagTitles } from "../contract/result-fields.ts";
import { escapeJson } from "../render/text.ts";
import { formatTagTitle } from "../shared/tags.ts";
import { unwrapOptional } from "./truncate.ts";

/** Ids from the service. They contain only hexadecimal digits after the prefix, so they cannot contain words. */
const ID = /^[a-z]{2,5}_[0-9a-f]{6,40}$/;
/** The names of fields with a time in unix ms. */
const TIME_FIELD = /(At|_at|Seen)$/;
/** Numbers below this are not times: 2001-09-09 in unix ms. */
const MIN_TIME = 1_000_000_000_000;
const MAX_TIME = 8_640_000_000_000_000;
/** Names of fields with tags of insights, one tag or a list, and the fields in which a service may report their titles. */
const TITLE_FIELDS: ReadonlyMap<string, string> = new Map([
  ["tag", "title"],
  ["commonFrictionTags", "commonFrictionTitles"],
]);
const titleSchemas: ReadonlySet<z.ZodType> = new Set([tagTitle, tagTitles]);
/** The maximum length of an object on one line. */
const MAX_INLINE_CHARS = 160;

/** Quotes text as JSON. Escapes invisible characters, and `<`, which could close the block around the data. */
export function quoted(text: string): string {
  return escapeJson(JSON.stringify(text)).replaceAll("<", "\\u003c");
}

/** Formats a response as lines: one per field, and tables for lists of objects. */
export function plainText(response: unknown, schema: z.ZodType): string {
  return formatFields(response as JsonFields, schema, "").join("\n");
}

type JsonFields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isPlain = (value: unknown) => typeof value !== "object" || value === null;

function formatFields(fields: JsonFields, schema: z.ZodType, pad: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined
      ? []
      : formatField(formatLabel(name, schema), value, getValueSchema(fields, schema, name), pad),
  );
}

function formatField(label: string, value: unknown, schema: z.ZodType, pad: string): string[] {
  if (isPlain(value)) return [`${pad}${label}: ${formatInline(value, schema, label)}`];
  if (Array.isArray(value)) return formatList(label, value, getElementSchema(schema), pad);
  const fields = value as JsonFields;
  const line = Object.values(fields).every(isPlain) ? formatInline(fields, schema, label) : null;
  if (line !== null && line.length <= MAX_INLINE_CHARS) return [`${pad}${label}: ${line}`];
  return [`${pad}${label}:`, ...formatFields(fields, schema, `${pad}  `)];
}

function formatList(label: string, list: readonly unknown[], schema: z.ZodType, pad: string): string[] {
  if (list.length === 0) return [`${pad}${label}: none`];
  if (!list.every(isFields)) return [`${pad}${label}: ${formatInline(list, z.array(schema), label)}`];
  if (list.some((item) => Object.values(item).some(isNested)))
    return [
      `${pad}${label} (${list.length}):`,
      ...list.flatMap((item) => [`${pad}-`, ...formatFields(item, schema, `${pad}  `)]),
    ];
  const names = [...new Set(list.flatMap((item) => Object.keys(item)))];
  const rows = list.map((item) =>
    names.map((name) => formatInline(item[name], getValueSchema(item, schema, name), name)),
  );
  const header = names.map((name) => formatLabel(name, schema));
  return [
    `${pad}${label} (${list.length}): ${header.join(" | ")}`,
    ...rows.map((row) => `${pad}- ${row.join(" | ")}`),
  ];
}

/** Whether a value is written on separate lines: a list of objects, or an object of more than plain values. */
function isNested(value: unknown): boolean {
  if (Array.isArray(value))
    return value.some((item) => !isPlain(item) && !(Array.isArray(item) && item.every(isPlain)));
  return isFields(value) && !Object.values(value).every(isPlain);
}

function formatInline(value: unknown, schema: z.ZodType, name: string): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return formatString(value, schema, name);
  if (typeof value === "number")
    return isTime(name, value) ? new Date(value).toISOString() : String(roundForDisplay(value));
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value))
    return `[${value.map((item) => formatInline(item, getElementSchema(schema), name)).join(", ")}]`;
  const fields = value as JsonFields;
  const texts = Object.entries(fields).map(([key, field]) => {
    return `${formatLabel(key, schema)}: ${formatInline(field, getValueSchema(fields, schema, key), key)}`;
  });
  return `{${texts.join(", ")}}`;
}

/**
 * Quotes text unless it is the service's own. A tag is shown with its title, such as `"Crashes" ("bug-report:crash")`,
 * unless the service reports the title in a separate field.
 */
function formatString(text: string, schema: z.ZodType, name: string): string {
  if (isServiceText(text, schema)) return text;
  // Fields that the contract does not know have the schema `unknown`: there, "tag" may mean anything.
  const isTag = TITLE_FIELDS.has(name) && unwrapOptional(schema) instanceof z.ZodString;
  const title = isTag ? formatTagTitle(text) : text;
  return title === text ? quoted(text) : `${quoted(title)} (${quoted(text)})`;
}

/** Rounds to save tokens. The structured content has all digits. */
const roundForDisplay = (value: number) => (Math.abs(value) < 0.01 ? value : Math.round(value * 1e4) / 1e4);

const isTime = (name: string, value: number) =>
  TIME_FIELD.test(name) && value >= MIN_TIME && value <= MAX_TIME;

/** Whether text comes from the service itself: an id, or one of the values in the contract. */
export function isServiceText(text: string, schema: z.ZodType): boolean {
  return ID.test(text) || (marks.get(unwrapOptional(schema))?.values?.includes(text) ?? false);
}

/** Quotes a field name unless the contract defines it: a game may have sent any other name. */
const formatLabel = (name: string, schema: z.ZodType) =>
  isContractField(schema, name) ? name : quoted(name);

/** Whether the contract defines a field. */
export function isContractField(schema: z.ZodType, name: string): boolean {
  const inner = unwrapOptional(schema);
  return inner instanceof z.ZodObject && Object.hasOwn(inner.shape, name);
}

export function getFieldSchema(schema: z.ZodType, name: string): z.ZodType {
  const inner = unwrapOptional(schema);
  if (inner instanceof z.ZodRecord) return inner.valueType as z.ZodType;
  const shape = inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : {};
  return Object.hasOwn(shape, name) ? (shape[name] ?? z.unknown()) : z.unknown();
}

/** The schema of a field. A tag with a reported title is ordinary text, because it needs no other title. */
function getValueSchema(fields: JsonFields, schema: z.ZodType, name: string): z.ZodType {
  const titleField = TITLE_FIELDS.get(name);
  const isTitled =
    titleField !== undefined &&
    fields[titleField] != null &&
    titleSchemas.has(getFieldSchema(schema, titleField));
  return isTitled ? z.unknown() : getFieldSchema(schema, name);
}

export function getElementSchema(schema: z.ZodType): z.ZodType {
  const inner = unwrapOptional(schema);
  return inner instanceof z.ZodArray ? (inner.element as z.ZodType) : z.unknown();
}

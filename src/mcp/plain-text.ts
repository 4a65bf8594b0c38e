/** An answer as compact text for a model: names and numbers bare, every text that others may have written in quotes. */
import * as z from "zod";
import { marks } from "../contract/fields.ts";
import { escapeJson } from "../render/text.ts";
import { unwrapOptional } from "./truncate.ts";

/** The ids that the service makes: they hold no words. */
const ID = /^[a-z]{2,5}_[0-9a-f]{6,40}$/;
/** Fields that tell a time, unix ms. */
const TIME_FIELD = /(At|_at|Seen)$/;
/** The earliest number that is taken for a time: 2001. */
const MIN_TIME = 1_000_000_000_000;
const MAX_TIME = 8_640_000_000_000_000;
/** An object of so many characters at most stands in one line. */
const MAX_INLINE_CHARS = 160;

/** A text as data: JSON's quotes, nothing in it that is invisible, and no tag that could end what is around it. */
export function quoted(text: string): string {
  return escapeJson(JSON.stringify(text)).replaceAll("<", "\\u003c");
}

/** The lines of an answer. */
export function plainText(answer: unknown, schema: z.ZodType): string {
  return formatFields(answer as JsonFields, schema, "").join("\n");
}

type JsonFields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isPlain = (value: unknown) => typeof value !== "object" || value === null;

function formatFields(fields: JsonFields, schema: z.ZodType, pad: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined
      ? []
      : formatField(formatLabel(name, schema), value, getFieldSchema(schema, name), pad),
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
  if (list.some((one) => Object.values(one).some(isNested)))
    return [
      `${pad}${label} (${list.length}):`,
      ...list.flatMap((one) => [`${pad}-`, ...formatFields(one, schema, `${pad}  `)]),
    ];
  const names = [...new Set(list.flatMap((one) => Object.keys(one)))];
  const rows = list.map((one) =>
    names.map((name) => formatInline(one[name], getFieldSchema(schema, name), name)),
  );
  const head = names.map((name) => formatLabel(name, schema));
  return [
    `${pad}${label} (${list.length}): ${head.join(" | ")}`,
    ...rows.map((row) => `${pad}- ${row.join(" | ")}`),
  ];
}

/** Whether a value needs lines of its own: a list of objects, or an object of more than plain values. */
function isNested(value: unknown): boolean {
  if (Array.isArray(value))
    return value.some((one) => !isPlain(one) && !(Array.isArray(one) && one.every(isPlain)));
  return isFields(value) && !Object.values(value).every(isPlain);
}

function formatInline(value: unknown, schema: z.ZodType, name: string): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return isServiceText(value, schema) ? value : quoted(value);
  if (typeof value === "number")
    return isTime(name, value) ? new Date(value).toISOString() : String(roundForDisplay(value));
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value))
    return `[${value.map((one) => formatInline(one, getElementSchema(schema), name)).join(", ")}]`;
  const fields = Object.entries(value as JsonFields).map(
    ([key, one]) => `${formatLabel(key, schema)}: ${formatInline(one, getFieldSchema(schema, key), key)}`,
  );
  return `{${fields.join(", ")}}`;
}

/** Digits that tell nothing cost a model as much as others; the structured content has them all. */
const roundForDisplay = (value: number) => (Math.abs(value) < 0.01 ? value : Math.round(value * 1e4) / 1e4);

const isTime = (name: string, value: number) =>
  TIME_FIELD.test(name) && value >= MIN_TIME && value <= MAX_TIME;

/** Whether a text is the service's own: an id, or one of the values that the contract lists. */
function isServiceText(text: string, schema: z.ZodType): boolean {
  return ID.test(text) || (marks.get(unwrapOptional(schema))?.values?.includes(text) ?? false);
}

/** A name that the contract has stays bare; any other was sent by a game. */
function formatLabel(name: string, schema: z.ZodType): string {
  const bare = unwrapOptional(schema);
  return bare instanceof z.ZodObject && Object.hasOwn(bare.shape, name) ? name : quoted(name);
}

function getFieldSchema(schema: z.ZodType, name: string): z.ZodType {
  const bare = unwrapOptional(schema);
  if (bare instanceof z.ZodRecord) return bare.valueType as z.ZodType;
  const shape = bare instanceof z.ZodObject ? (bare.shape as Record<string, z.ZodType>) : {};
  return Object.hasOwn(shape, name) ? (shape[name] ?? z.unknown()) : z.unknown();
}

function getElementSchema(schema: z.ZodType): z.ZodType {
  const bare = unwrapOptional(schema);
  return bare instanceof z.ZodArray ? (bare.element as z.ZodType) : z.unknown();
}

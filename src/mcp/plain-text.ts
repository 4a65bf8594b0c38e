/** An answer as compact text for a model: names and numbers bare, every text that others may have written in quotes. */
import * as z from "zod";
import { marks } from "../contract/fields.ts";
import { escapeJson } from "../render/text.ts";
import { bareOf } from "./cut.ts";

/** The ids that the service makes: they hold no words. */
const ID = /^[a-z]{2,5}_[0-9a-f]{6,40}$/;
/** Fields that tell a time, unix ms. */
const TIME = /(At|_at|Seen)$/;
/** The earliest number that is taken for a time: 2001. */
const FIRST_TIME = 1_000_000_000_000;
const LAST_TIME = 8_640_000_000_000_000;
/** An object of so many characters at most stands in one line. */
const INLINE = 160;

/** A text as data: JSON's quotes, nothing in it that is invisible, and no tag that could end what is around it. */
export function quoted(text: string): string {
  return escapeJson(JSON.stringify(text)).replaceAll("<", "\\u003c");
}

/** The lines of an answer. */
export function plainText(answer: unknown, schema: z.ZodType): string {
  return fieldLines(answer as Fields, schema, "").join("\n");
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isPlain = (value: unknown) => typeof value !== "object" || value === null;

function fieldLines(fields: Fields, schema: z.ZodType, pad: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : linesOf(labelOf(name, schema), value, fieldOf(schema, name), pad),
  );
}

function linesOf(label: string, value: unknown, schema: z.ZodType, pad: string): string[] {
  if (isPlain(value)) return [`${pad}${label}: ${inline(value, schema, label)}`];
  if (Array.isArray(value)) return listLines(label, value, elementOf(schema), pad);
  const fields = value as Fields;
  const line = Object.values(fields).every(isPlain) ? inline(fields, schema, label) : null;
  if (line !== null && line.length <= INLINE) return [`${pad}${label}: ${line}`];
  return [`${pad}${label}:`, ...fieldLines(fields, schema, `${pad}  `)];
}

function listLines(label: string, list: readonly unknown[], schema: z.ZodType, pad: string): string[] {
  if (list.length === 0) return [`${pad}${label}: none`];
  if (!list.every(isFields)) return [`${pad}${label}: ${inline(list, z.array(schema), label)}`];
  if (list.some((one) => Object.values(one).some(isDeep)))
    return [
      `${pad}${label} (${list.length}):`,
      ...list.flatMap((one) => [`${pad}-`, ...fieldLines(one, schema, `${pad}  `)]),
    ];
  const names = [...new Set(list.flatMap((one) => Object.keys(one)))];
  const rows = list.map((one) => names.map((name) => inline(one[name], fieldOf(schema, name), name)));
  const head = names.map((name) => labelOf(name, schema));
  return [
    `${pad}${label} (${list.length}): ${head.join(" | ")}`,
    ...rows.map((row) => `${pad}- ${row.join(" | ")}`),
  ];
}

/** Whether a value needs lines of its own: a list of objects, or an object of more than plain values. */
function isDeep(value: unknown): boolean {
  if (Array.isArray(value))
    return value.some((one) => !isPlain(one) && !(Array.isArray(one) && one.every(isPlain)));
  return isFields(value) && !Object.values(value).every(isPlain);
}

function inline(value: unknown, schema: z.ZodType, name: string): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return isKnown(value, schema) ? value : quoted(value);
  if (typeof value === "number")
    return isTime(name, value) ? new Date(value).toISOString() : String(rounded(value));
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => inline(one, elementOf(schema), name)).join(", ")}]`;
  const fields = Object.entries(value as Fields).map(
    ([key, one]) => `${labelOf(key, schema)}: ${inline(one, fieldOf(schema, key), key)}`,
  );
  return `{${fields.join(", ")}}`;
}

/** Digits that tell nothing cost a model as much as others; the structured content has them all. */
const rounded = (value: number) => (Math.abs(value) < 0.01 ? value : Math.round(value * 1e4) / 1e4);

const isTime = (name: string, value: number) => TIME.test(name) && value >= FIRST_TIME && value <= LAST_TIME;

/** Whether a text is the service's own: an id, or one of the values that the contract lists. */
function isKnown(text: string, schema: z.ZodType): boolean {
  return ID.test(text) || (marks.get(bareOf(schema))?.values?.includes(text) ?? false);
}

/** A name that the contract has stays bare; any other was sent by a game. */
function labelOf(name: string, schema: z.ZodType): string {
  const bare = bareOf(schema);
  return bare instanceof z.ZodObject && Object.hasOwn(bare.shape, name) ? name : quoted(name);
}

function fieldOf(schema: z.ZodType, name: string): z.ZodType {
  const bare = bareOf(schema);
  if (bare instanceof z.ZodRecord) return bare.valueType as z.ZodType;
  const shape = bare instanceof z.ZodObject ? (bare.shape as Record<string, z.ZodType>) : {};
  return Object.hasOwn(shape, name) ? (shape[name] ?? z.unknown()) : z.unknown();
}

function elementOf(schema: z.ZodType): z.ZodType {
  const bare = bareOf(schema);
  return bare instanceof z.ZodArray ? (bare.element as z.ZodType) : z.unknown();
}

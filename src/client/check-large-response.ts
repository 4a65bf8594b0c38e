/** Validates large responses: by a quick check first, otherwise in chunks up to the first issue. */
import type * as z from "zod";
import { countValues, MAX_CHUNK_VALUES } from "./count-values.ts";

/** Only this many fields of an object can be declared by name. The rest are entries of a map. */
const MAX_NAMED_FIELDS = 200;

/** The first issue of a response; undefined if it is valid. */
export function findLargeIssue(schema: z.ZodType, value: unknown): z.core.$ZodIssue | undefined {
  if (getQuickCheck(schema)(value)) return undefined;
  for (const chunk of chunkValue(value)) {
    const [issue] = schema.safeParse(chunk).error?.issues ?? [];
    if (issue) return issue;
  }
  return undefined;
}

type ObjectEntry = readonly [key: string, value: unknown];

/**
 * Splits a value into chunks of about MAX_CHUNK_VALUES values that have its shape: lists with fewer items, maps with
 * fewer entries. Together they contain all of its values.
 */
function* chunkValue(value: unknown): Generator<unknown> {
  if (countValues(value) < MAX_CHUNK_VALUES) yield value;
  else if (Array.isArray(value)) yield* chunkList(value);
  else yield* chunkObject(Object.entries(value as object));
}

function* chunkList(items: readonly unknown[]): Generator<unknown[]> {
  for (const group of groupBySize(items, (item) => item)) {
    const [first] = group;
    if (group.length > 1) yield group;
    else for (const chunk of chunkValue(first)) yield [chunk];
  }
}

/** Every chunk has all fields. While one large field varies, the others have the value of their first chunk. */
function* chunkObject(entries: readonly ObjectEntry[]): Generator<object> {
  const large: (readonly [key: string, rest: Generator<unknown>])[] = [];
  const namedFields = entries.slice(0, MAX_NAMED_FIELDS).map(([key, value]): ObjectEntry => {
    const chunks = chunkValue(value);
    const { value: first } = chunks.next();
    if (countValues(value) >= MAX_CHUNK_VALUES) large.push([key, chunks]);
    return [key, first];
  });
  const base = Object.fromEntries(namedFields);
  yield base;
  for (const [key, rest] of large) for (const chunk of rest) yield { ...base, [key]: chunk };
  for (const group of groupBySize(entries.slice(MAX_NAMED_FIELDS), ([, value]) => value)) {
    const [[key, value] = ["", undefined]] = group;
    if (group.length > 1) yield { ...base, ...Object.fromEntries(group) };
    else for (const chunk of chunkValue(value)) yield { ...base, [key]: chunk };
  }
}

/** Groups neighbors of up to MAX_CHUNK_VALUES values in total. A larger item forms its own group. */
function* groupBySize<T>(items: readonly T[], getValue: (item: T) => unknown): Generator<T[]> {
  let group: T[] = [];
  let size = 0;
  for (const item of items) {
    const count = countValues(getValue(item));
    if (group.length > 0 && size + count > MAX_CHUNK_VALUES) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(item);
    size += count;
  }
  if (group.length > 0) yield group;
}

/** Whether a value is certainly valid. After false, the validator decides. */
type QuickCheck = (value: unknown) => boolean;

type ChecksByType = { readonly [Type in string]?: (definition: Definition) => QuickCheck | null };

/** What the definitions of the supported schemas have in common. */
interface Definition {
  readonly type: string;
  readonly checks?: readonly unknown[] | undefined;
  readonly format?: string;
  readonly coerce?: boolean;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
}

const built = new WeakMap<z.ZodType, QuickCheck>();

/** The quick check of a schema, which is built once. */
export function getQuickCheck(schema: z.ZodType): QuickCheck {
  const known = built.get(schema);
  if (known) return known;
  const check = buildCheck(schema);
  built.set(schema, check);
  return check;
}

function buildCheck(schema: z.ZodType): QuickCheck {
  const definition = schema.def as Definition;
  const isPlain = !definition.checks?.length && !definition.coerce;
  return (isPlain ? checksByType[definition.type]?.(definition) : null) ?? askValidator(schema);
}

/** The validator decides about single values. Large ones are validated in chunks, because it collects all issues. */
function askValidator(schema: z.ZodType): QuickCheck {
  return (value) => (typeof value !== "object" || value === null) && schema.safeParse(value).success;
}

const checksByType: ChecksByType = {
  string: ({ format }) => (format === undefined ? (value) => typeof value === "string" : null),
  number: ({ format }) => {
    if (format === "safeint") return Number.isSafeInteger;
    return format === undefined ? Number.isFinite : null;
  },
  boolean: () => (value) => typeof value === "boolean",
  nullable: ({ innerType }) => {
    const check = innerType && getQuickCheck(innerType);
    return check ? (value) => value === null || check(value) : null;
  },
  optional: ({ innerType }) => {
    const check = innerType && getQuickCheck(innerType);
    return check ? (value) => value === undefined || check(value) : null;
  },
  array: ({ element }) => {
    const check = element && getQuickCheck(element);
    return check ? (value) => Array.isArray(value) && value.every(check) : null;
  },
  object: checkObject,
};

function checkObject({ shape = {}, catchall }: Definition): QuickCheck | null {
  if (catchall !== undefined && catchall.def.type !== "unknown") return null;
  const fields = Object.entries(shape).map(([key, field]) => ({ key, check: getQuickCheck(field) }));
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    for (const { key, check } of fields) if (!check((value as Record<string, unknown>)[key])) return false;
    return true;
  };
}

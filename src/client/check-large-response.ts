/** Validates large responses: by a quick check first, otherwise in chunks up to the first issue. */
import type * as z from "zod";
import { countValues, MAX_CHUNK_VALUES } from "./count-values.ts";
import { getQuickCheck } from "./quick-check.ts";

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

/** Holds an answer against the contract, a part of it after the other: of millions of faults the first is enough. */
import type * as z from "zod";
import type { Endpoint, Output } from "../contract/define.ts";
import { ClientError } from "./errors.ts";

/** So many values are checked at once: the checker keeps every fault it finds until it is through. */
const MAX_CHUNK_VALUES = 5000;
/** So many fields of an object may be promised by name; what comes after them is the rest of a map. */
const MAX_NAMED_FIELDS = 200;

/**
 * The answer unchanged, once it holds what the contract promises. Throws `contract` naming the first field that does
 * not; its place in a list that is checked in parts is that within the part.
 */
export function checkResponse<E extends Endpoint>(
  endpoint: E,
  { json, requestId }: { readonly json: unknown; readonly requestId: string | null },
): Output<E> {
  const fault = findFirstIssue(endpoint.response, json);
  if (fault === undefined) return json as Output<E>;
  const where = fault.path.join(".") || "the body";
  const message = `The answer of ${endpoint.path} breaks the contract at ${where}: ${fault.message}`;
  throw new ClientError("contract", message, { requestId });
}

type SchemaIssue = Pick<z.core.$ZodIssue, "path" | "message">;

function findFirstIssue(schema: z.ZodType, value: unknown): SchemaIssue | undefined {
  for (const part of chunkValue(value)) {
    const [fault] = schema.safeParse(part).error?.issues ?? [];
    if (fault) return fault;
  }
  return undefined;
}

type ObjectEntry = readonly [key: string, value: unknown];

/** Parts of about PART values that have all values of a value among them, each of its shape: lists shortened, maps thinned. */
function* chunkValue(value: unknown): Generator<unknown> {
  if (countValues(value) < MAX_CHUNK_VALUES) yield value;
  else if (Array.isArray(value)) yield* chunkList(value);
  else yield* chunkObject(Object.entries(value as object));
}

function* chunkList(items: readonly unknown[]): Generator<unknown[]> {
  for (const group of groupBySize(items, (item) => item)) {
    const [first] = group;
    if (group.length > 1) yield group;
    else for (const part of chunkValue(first)) yield [part];
  }
}

/** Each part has every field: of large ones their first part where it is another's turn. */
function* chunkObject(entries: readonly ObjectEntry[]): Generator<object> {
  const large: (readonly [key: string, rest: Generator<unknown>])[] = [];
  const whole = entries.slice(0, MAX_NAMED_FIELDS).map(([key, value]): ObjectEntry => {
    const parts = chunkValue(value);
    const { value: first } = parts.next();
    if (countValues(value) >= MAX_CHUNK_VALUES) large.push([key, parts]);
    return [key, first];
  });
  const base = Object.fromEntries(whole);
  yield base;
  for (const [key, rest] of large) for (const part of rest) yield { ...base, [key]: part };
  for (const group of groupBySize(entries.slice(MAX_NAMED_FIELDS), ([, value]) => value)) {
    const [[key, value] = ["", undefined]] = group;
    if (group.length > 1) yield { ...base, ...Object.fromEntries(group) };
    else for (const part of chunkValue(value)) yield { ...base, [key]: part };
  }
}

/** Neighbours together, up to PART values; what is larger alone. */
function* groupBySize<T>(items: readonly T[], weighed: (item: T) => unknown): Generator<T[]> {
  let group: T[] = [];
  let size = 0;
  for (const item of items) {
    const count = countValues(weighed(item));
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

/** How many values a value holds, itself included; counted up to PART. */
function countValues(value: unknown): number {
  let count = 0;
  const open: Iterator<unknown>[] = [[value].values()];
  for (let last = open.at(-1); last !== undefined && count < MAX_CHUNK_VALUES; last = open.at(-1)) {
    const { done, value: next } = last.next();
    if (done) open.pop();
    else count += 1;
    if (typeof next === "object" && next !== null) open.push(iterateChildren(next));
  }
  return count;
}

function* iterateChildren(value: object): Generator<unknown> {
  if (Array.isArray(value)) yield* value;
  else for (const key in value) yield (value as Record<string, unknown>)[key];
}

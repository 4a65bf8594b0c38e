/** Holds an answer against the contract, a part of it after the other: of millions of faults the first is enough. */
import type * as z from "zod";
import type { Endpoint, Output } from "../contract/define.ts";
import { ClientError } from "./errors.ts";

/** So many values are checked at once: the checker keeps every fault it finds until it is through. */
const PART = 5000;
/** So many fields of an object may be promised by name; what comes after them is the rest of a map. */
const FIELDS = 200;

/**
 * The answer unchanged, once it holds what the contract promises. Throws `contract` naming the first field that does
 * not; its place in a list that is checked in parts is that within the part.
 */
export function checkAnswer<E extends Endpoint>(
  endpoint: E,
  { json, requestId }: { readonly json: unknown; readonly requestId: string | null },
): Output<E> {
  const fault = firstFault(endpoint.response, json);
  if (fault === undefined) return json as Output<E>;
  const where = fault.path.join(".") || "the body";
  const message = `The answer of ${endpoint.path} breaks the contract at ${where}: ${fault.message}`;
  throw new ClientError("contract", message, { requestId });
}

type Fault = Pick<z.core.$ZodIssue, "path" | "message">;

function firstFault(schema: z.ZodType, value: unknown): Fault | undefined {
  for (const part of partsOf(value)) {
    const [fault] = schema.safeParse(part).error?.issues ?? [];
    if (fault) return fault;
  }
  return undefined;
}

type Entry = readonly [key: string, value: unknown];

/** Parts of about PART values that have all values of a value among them, each of its shape: lists shortened, maps thinned. */
function* partsOf(value: unknown): Generator<unknown> {
  if (countOf(value) < PART) yield value;
  else if (Array.isArray(value)) yield* partsOfList(value);
  else yield* partsOfObject(Object.entries(value as object));
}

function* partsOfList(items: readonly unknown[]): Generator<unknown[]> {
  for (const group of groupsOf(items, (item) => item)) {
    const [first] = group;
    if (group.length > 1) yield group;
    else for (const part of partsOf(first)) yield [part];
  }
}

/** Each part has every field: of large ones their first part where it is another's turn. */
function* partsOfObject(entries: readonly Entry[]): Generator<object> {
  const large: (readonly [key: string, rest: Generator<unknown>])[] = [];
  const whole = entries.slice(0, FIELDS).map(([key, value]): Entry => {
    const parts = partsOf(value);
    const { value: first } = parts.next();
    if (countOf(value) >= PART) large.push([key, parts]);
    return [key, first];
  });
  const base = Object.fromEntries(whole);
  yield base;
  for (const [key, rest] of large) for (const part of rest) yield { ...base, [key]: part };
  for (const group of groupsOf(entries.slice(FIELDS), ([, value]) => value)) {
    const [[key, value] = ["", undefined]] = group;
    if (group.length > 1) yield { ...base, ...Object.fromEntries(group) };
    else for (const part of partsOf(value)) yield { ...base, [key]: part };
  }
}

/** Neighbours together, up to PART values; what is larger alone. */
function* groupsOf<T>(items: readonly T[], weighed: (item: T) => unknown): Generator<T[]> {
  let group: T[] = [];
  let size = 0;
  for (const item of items) {
    const count = countOf(weighed(item));
    if (group.length > 0 && size + count > PART) {
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
function countOf(value: unknown): number {
  let count = 0;
  const open: Iterator<unknown>[] = [[value].values()];
  for (let last = open.at(-1); last !== undefined && count < PART; last = open.at(-1)) {
    const { done, value: next } = last.next();
    if (done) open.pop();
    else count += 1;
    if (typeof next === "object" && next !== null) open.push(childrenOf(next));
  }
  return count;
}

function* childrenOf(value: object): Generator<unknown> {
  if (Array.isArray(value)) yield* value;
  else for (const key in value) yield (value as Record<string, unknown>)[key];
}

/** Validates responses: large ones by a quick check first, otherwise in chunks up to the first issue. */
import type * as z from "zod";
import type { Endpoint, Output } from "../contract/define.ts";
import { ClientError } from "./errors.ts";

/** How many values are validated at once. The limit bounds memory, because the validator collects all issues. */
const MAX_CHUNK_VALUES = 5000;
/** Only this many fields of an object can be declared by name. The rest are entries of a map. */
const MAX_NAMED_FIELDS = 200;

/**
 * Returns the response unchanged if it matches the contract. Throws `contract` with the path of the first invalid
 * field; within a list that is validated in chunks, indexes count from the start of the chunk.
 */
export async function checkResponse<E extends Endpoint>(
  endpoint: E,
  { json, requestId }: { readonly json: unknown; readonly requestId: string | null },
): Promise<Output<E>> {
  const issue = await findFirstIssue(endpoint.response, json);
  if (issue === undefined) return json as Output<E>;
  const field = issue.path.join(".") || "the body";
  const message = `The response of ${endpoint.path} does not match the API contract: ${field} ${issue.message}`;
  throw new ClientError("contract", message, { requestId });
}

type SchemaIssue = Pick<z.core.$ZodIssue, "path" | "message">;

async function findFirstIssue(schema: z.ZodType, value: unknown): Promise<SchemaIssue | undefined> {
  if (countValues(value) >= MAX_CHUNK_VALUES) {
    // Most commands receive small responses and need not load it.
    const { getQuickCheck } = await import("./quick-check.ts");
    if (getQuickCheck(schema)(value)) return undefined;
  }
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

/** Counts a value and all values inside it, up to MAX_CHUNK_VALUES. */
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

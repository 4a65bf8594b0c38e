/** The JSON Schemas of tools, made from the contract's: as small as they can be, for every client reads them into its model. */
import * as z from "zod";
import type { Endpoint } from "../contract/define.ts";

export type Json = Readonly<Record<string, unknown>>;

/** A schema whose root is an object, as MCP wants it. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly [keyword: string]: unknown;
}

/** What the schema of an answer holds beside the answer: what was left out of it, and what its texts are. */
const beside = {
  _notice: { type: "string" },
  _cut: { type: "array", items: { type: "string" } },
} as const satisfies Record<string, Json>;

/** What every read tool takes beside what its endpoint takes; each answer that was cut tells how to use them. */
const asking = {
  max_chars: { type: "integer" },
  part: { type: "string" },
  skip: { type: "integer" },
} as const satisfies Record<string, Json>;

/** What a read tool takes: the endpoint's parameters, and how much of the answer is wanted. `more` is what only it takes. */
export function inputSchemaOf(endpoint: Endpoint, more: Readonly<Record<string, Json>>): ObjectSchema {
  const shape = { ...endpoint.params.shape, ...endpoint.query.shape, ...bodyShapeOf(endpoint) };
  const fields = Object.entries(shape).map(([name, field]): [string, Json] => [
    name,
    name === "from" || name === "to"
      ? timeSchema(converted(field as z.ZodType, "input"))
      : converted(field as z.ZodType, "input"),
  ]);
  const required = Object.entries(shape).flatMap(([name, field]) =>
    field instanceof z.ZodOptional ? [] : [name],
  );
  return {
    type: "object",
    properties: { ...Object.fromEntries(fields), ...more, ...(endpoint.method === "GET" ? asking : {}) },
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** The fields of an endpoint's JSON body; none where it takes no object. */
export function bodyShapeOf({ body }: Endpoint): Readonly<Record<string, z.ZodType>> {
  return body instanceof z.ZodObject ? (body.shape as Record<string, z.ZodType>) : {};
}

/** What a tool answers: the endpoint's answer as a client may take it, with what stands beside it. */
export function outputSchemaOf(endpoint: Endpoint): ObjectSchema {
  const { properties, required } = converted(endpoint.response, "output");
  // Which parameters the service applied is said in _notice, and only where one was ignored.
  const { applied: _applied, ...fields } = properties as Record<string, Json>;
  return {
    type: "object",
    ...(required ? { required: required as string[] } : {}),
    properties: { ...fields, ...(endpoint.method === "GET" ? beside : {}) },
  };
}

function converted(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, required, ...made } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return { ...(compact(made, io) as Json), ...(required ? { required } : {}) };
}

/** What is said once, in the server's instructions: units and prefixes of ids. */
const SAID = /^(Unix ms|[a-z]+_\.\.\.|Milliseconds|ISO 3166 alpha-2|The owning account)$/;

/** Lengths: the contract checks them, and its refusal names them. */
const LIMITS = new Set(["minLength", "maxLength", "minItems", "maxItems", "propertyNames"]);

/** Without what tells a model nothing: bounds of every integer, strictness of answers, and what is said once elsewhere. */
function compact(schema: unknown, io: "input" | "output"): unknown {
  if (Array.isArray(schema)) return schema.map((one) => compact(one, io));
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).flatMap(([keyword, value]) =>
    isTold(keyword, value, io) ? [[keyword, compactUnder(keyword, value, io)] as const] : [],
  );
  return withoutTuple(flat(oneTyped(Object.fromEntries(kept))));
}

/** Names of properties are no keywords. */
function compactUnder(keyword: string, value: unknown, io: "input" | "output"): unknown {
  if (keyword !== "properties") return compact(value, io);
  const fields = Object.entries(value as Json).map(([name, field]) => [name, compact(field, io)]);
  return Object.fromEntries(fields);
}

function isTold(keyword: string, value: unknown, io: "input" | "output"): boolean {
  if (keyword === "additionalProperties") return value !== false && Object.keys(value as object).length > 0;
  // Below the root: what a model is told of an answer is what may be in it.
  if (keyword === "required" && Array.isArray(value)) return false;
  if (keyword === "description" && typeof value === "string") return !SAID.test(value);
  if (LIMITS.has(keyword)) return false;
  if (keyword === "minimum" || keyword === "maximum")
    return io === "input" && Math.abs(value as number) !== Number.MAX_SAFE_INTEGER;
  return true;
}

/** A list of types as one schema for each: not every client reads the list. */
function oneTyped(schema: Json): Json {
  const { type, description, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const anyOf = (type as string[]).map((one) => (one === "null" ? { type: one } : { type: one, ...rest }));
  return { anyOf, ...(description === undefined ? {} : { description }) };
}

/** What may be null, and within that may be null once more, said once. */
function flat(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const [{ anyOf: inner, ...first } = {}, second] = anyOf as Json[];
  return Array.isArray(inner) && second?.type === "null" ? { ...first, ...rest, anyOf: inner } : schema;
}

/** Drafts of JSON Schema write tuples differently, and clients read one or another: their entries' types are left. */
function withoutTuple(schema: Json): Json {
  const { prefixItems, items: _items, ...rest } = schema;
  if (!Array.isArray(prefixItems)) return schema;
  return { ...rest, items: { anyOf: prefixItems } };
}

/** A time may also be written as people do: models count milliseconds badly. */
function timeSchema({ description }: Json): Json {
  return {
    anyOf: [{ type: "integer" }, { type: "string" }],
    description: `${description}, ISO 8601 or an age (7d)`,
  };
}

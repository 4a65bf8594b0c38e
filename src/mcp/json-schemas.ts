/** The JSON Schemas of tools, made from the contract's: as small as they can be, for every client reads them into its model. */
import * as z from "zod";
import type { Endpoint } from "../contract/define.ts";

export type JsonSchemaNode = Readonly<Record<string, unknown>>;

/** A schema whose root is an object, as MCP wants it. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonSchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly [keyword: string]: unknown;
}

/** What the schema of an answer holds beside the answer: what was left out of it, and what its texts are. */
const resultProperties = {
  _notice: { type: "string" },
  _cut: { type: "array", items: { type: "string" } },
} as const satisfies Record<string, JsonSchemaNode>;

/** What every read tool takes beside what its endpoint takes; each answer that was cut tells how to use them. */
const truncationArguments = {
  max_chars: { type: "integer" },
  part: { type: "string" },
  skip: { type: "integer" },
} as const satisfies Record<string, JsonSchemaNode>;

/** What a read tool takes: the endpoint's parameters, and how much of the answer is wanted. `more` is what only it takes. */
export function buildInputSchema(
  endpoint: Endpoint,
  more: Readonly<Record<string, JsonSchemaNode>>,
): ObjectSchema {
  const shape = { ...endpoint.params.shape, ...endpoint.query.shape, ...getBodyShape(endpoint) };
  const fields = Object.entries(shape).map(([name, field]): [string, JsonSchemaNode] => [
    name,
    name === "from" || name === "to"
      ? timeSchema(convertSchema(field as z.ZodType, "input"))
      : convertSchema(field as z.ZodType, "input"),
  ]);
  const required = Object.entries(shape).flatMap(([name, field]) =>
    field instanceof z.ZodOptional ? [] : [name],
  );
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(fields),
      ...more,
      ...(endpoint.method === "GET" ? truncationArguments : {}),
    },
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** The fields of an endpoint's JSON body; none where it takes no object. */
export function getBodyShape({ body }: Endpoint): Readonly<Record<string, z.ZodType>> {
  return body instanceof z.ZodObject ? (body.shape as Record<string, z.ZodType>) : {};
}

/** What a tool answers: the endpoint's answer as a client may take it, with what stands beside it. */
export function buildOutputSchema(endpoint: Endpoint): ObjectSchema {
  const { properties, required } = convertSchema(endpoint.response, "output");
  // Which parameters the service applied is said in _notice, and only where one was ignored.
  const { applied: _applied, ...fields } = properties as Record<string, JsonSchemaNode>;
  return {
    type: "object",
    ...(required ? { required: required as string[] } : {}),
    properties: { ...fields, ...(endpoint.method === "GET" ? resultProperties : {}) },
  };
}

function convertSchema(schema: z.ZodType, io: "input" | "output"): JsonSchemaNode {
  const { $schema: _dialect, required, ...made } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return { ...(compact(made, io) as JsonSchemaNode), ...(required ? { required } : {}) };
}

/** What is said once, in the server's instructions: units and prefixes of ids. */
const REDUNDANT_DESCRIPTION = /^(Unix ms|[a-z]+_\.\.\.|Milliseconds|ISO 3166 alpha-2|The owning account)$/;

/** Lengths: the contract checks them, and its refusal names them. */
const SIZE_KEYWORDS = new Set(["minLength", "maxLength", "minItems", "maxItems", "propertyNames"]);

/** Without what tells a model nothing: bounds of every integer, strictness of answers, and what is said once elsewhere. */
function compact(schema: unknown, io: "input" | "output"): unknown {
  if (Array.isArray(schema)) return schema.map((one) => compact(one, io));
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).flatMap(([keyword, value]) =>
    shouldKeepKeyword(keyword, value, io) ? [[keyword, compactKeyword(keyword, value, io)] as const] : [],
  );
  return replaceTuple(flattenNullable(splitTypeList(Object.fromEntries(kept))));
}

/** Names of properties are no keywords. */
function compactKeyword(keyword: string, value: unknown, io: "input" | "output"): unknown {
  if (keyword !== "properties") return compact(value, io);
  const fields = Object.entries(value as JsonSchemaNode).map(([name, field]) => [name, compact(field, io)]);
  return Object.fromEntries(fields);
}

function shouldKeepKeyword(keyword: string, value: unknown, io: "input" | "output"): boolean {
  if (keyword === "additionalProperties") return value !== false && Object.keys(value as object).length > 0;
  // Below the root: what a model is told of an answer is what may be in it.
  if (keyword === "required" && Array.isArray(value)) return false;
  if (keyword === "description" && typeof value === "string") return !REDUNDANT_DESCRIPTION.test(value);
  if (SIZE_KEYWORDS.has(keyword)) return false;
  if (keyword === "minimum" || keyword === "maximum")
    return io === "input" && Math.abs(value as number) !== Number.MAX_SAFE_INTEGER;
  return true;
}

/** A list of types as one schema for each: not every client reads the list. */
function splitTypeList(schema: JsonSchemaNode): JsonSchemaNode {
  const { type, description, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const anyOf = (type as string[]).map((one) => (one === "null" ? { type: one } : { type: one, ...rest }));
  return { anyOf, ...(description === undefined ? {} : { description }) };
}

/** What may be null, and within that may be null once more, said once. */
function flattenNullable(schema: JsonSchemaNode): JsonSchemaNode {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const [{ anyOf: inner, ...first } = {}, second] = anyOf as JsonSchemaNode[];
  return Array.isArray(inner) && second?.type === "null" ? { ...first, ...rest, anyOf: inner } : schema;
}

/** Drafts of JSON Schema write tuples differently, and clients read one or another: their entries' types are left. */
function replaceTuple(schema: JsonSchemaNode): JsonSchemaNode {
  const { prefixItems, items: _items, ...rest } = schema;
  if (!Array.isArray(prefixItems)) return schema;
  return { ...rest, items: { anyOf: prefixItems } };
}

/** A time may also be written as people do: models count milliseconds badly. */
function timeSchema({ description }: JsonSchemaNode): JsonSchemaNode {
  return {
    anyOf: [{ type: "integer" }, { type: "string" }],
    description: `${description}, ISO 8601 or an age (7d)`,
  };
}

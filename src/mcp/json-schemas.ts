/**
 * Builds the JSON Schemas of tools from the contract. They are kept small, because clients put them into the context of
 * their model.
 */
import * as z from "zod";
import type { Endpoint } from "../contract/define.ts";

export type JsonSchemaNode = Readonly<Record<string, unknown>>;

/** A schema whose root is an object, which MCP requires. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonSchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly [keyword: string]: unknown;
}

/** Arguments that every read tool has in addition to the endpoint's. The server's instructions describe them. */
const truncationArguments = {
  max_chars: { type: "integer" },
  part: { type: "string" },
  skip: { type: "integer" },
} as const satisfies Record<string, JsonSchemaNode>;

/** Builds the schema of a tool's arguments. `extraArguments` are arguments that only this tool has. */
export function buildInputSchema(
  endpoint: Endpoint,
  extraArguments: Readonly<Record<string, JsonSchemaNode>>,
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
      ...extraArguments,
      ...(endpoint.method === "GET" ? truncationArguments : {}),
    },
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Returns the fields of an endpoint's JSON body. Empty if the endpoint has no object as its body. */
export function getBodyShape({ body }: Endpoint): Readonly<Record<string, z.ZodType>> {
  return body instanceof z.ZodObject ? (body.shape as Record<string, z.ZodType>) : {};
}

/** The fields that the schemas of earlier tools describe: the name and the description of each. */
export type DescribedFields = Set<string>;

/**
 * Builds the schema of a tool's structured content. The server's instructions describe the properties that are added to
 * the response. A field that an earlier tool describes gets no description.
 */
export function buildOutputSchema(endpoint: Endpoint, described: DescribedFields): ObjectSchema {
  const { properties } = convertSchema(endpoint.response, "output");
  // `applied` only repeats arguments.
  const { applied: _applied, ...fields } = properties as Record<string, JsonSchemaNode>;
  const shortened = omitDeepFields(omitRepeated(omitGameFields(fields)));
  return { type: "object", properties: omitDescribed(shortened, described) };
}

/** Leaves out the descriptions that `described` contains, and adds the others to it. */
function omitDescribed(
  fields: Readonly<Record<string, JsonSchemaNode>>,
  described: DescribedFields,
): Record<string, JsonSchemaNode> {
  const visit = (name: string, node: JsonSchemaNode): JsonSchemaNode => {
    const { description, properties, items, ...rest } = node;
    const field = `${name}: ${description}`;
    const isNew = description !== undefined && !described.has(field);
    if (isNew) described.add(field);
    return {
      ...rest,
      ...(isNew ? { description } : {}),
      ...(properties === undefined
        ? {}
        : { properties: omitDescribed(properties as Record<string, JsonSchemaNode>, described) }),
      ...(items === undefined ? {} : { items: visit("", items as JsonSchemaNode) }),
    };
  };
  return Object.fromEntries(Object.entries(fields).map(([name, node]) => [name, visit(name, node)]));
}

/** Leaves out the fields of a game that accompanies a result. The tools about games describe them. */
function omitGameFields(fields: Readonly<Record<string, JsonSchemaNode>>): Record<string, JsonSchemaNode> {
  const { game } = fields;
  return game === undefined || Object.keys(fields).length === 1
    ? { ...fields }
    : { ...fields, game: { type: "object" } };
}

/** Number of nested objects whose fields are described. */
const MAX_DEPTH = 2;

/** Leaves out the fields of deeply nested objects. Their names in the result are clear without a description. */
function omitDeepFields(
  fields: Readonly<Record<string, JsonSchemaNode>>,
  depth = 1,
): Record<string, JsonSchemaNode> {
  const shorten = (node: JsonSchemaNode): JsonSchemaNode => {
    const { properties, items, anyOf, ...rest } = joinNull(node);
    return {
      ...rest,
      ...(properties === undefined || depth === MAX_DEPTH
        ? {}
        : { properties: omitDeepFields(properties as Record<string, JsonSchemaNode>, depth + 1) }),
      ...(items === undefined ? {} : { items: shorten(items as JsonSchemaNode) }),
      ...(anyOf === undefined ? {} : { anyOf: (anyOf as JsonSchemaNode[]).map(shorten) }),
    };
  };
  return Object.fromEntries(Object.entries(fields).map(([name, node]) => [name, shorten(node)]));
}

/** Writes "a value or null" as one node with two types, which is shorter. */
function joinNull(node: JsonSchemaNode): JsonSchemaNode {
  const { anyOf, ...rest } = node;
  const [value, none, ...others] = (anyOf ?? []) as JsonSchemaNode[];
  if (value === undefined || others.length > 0 || none?.type !== "null") return node;
  if (typeof value.type !== "string" || value.enum !== undefined || value.const !== undefined) return node;
  return { ...value, ...rest, type: [value.type, "null"] };
}

/** Size from which a repeated field is worth omitting, in characters of JSON. */
const MIN_REPEATED_CHARS = 400;

/** Describes large fields with equal schemas only once. The others refer to the first one. */
function omitRepeated(fields: Readonly<Record<string, JsonSchemaNode>>): Record<string, JsonSchemaNode> {
  const first = new Map<string, string>();
  const entries = Object.entries(fields).map(([name, schema]): [string, JsonSchemaNode] => {
    const text = JSON.stringify(schema);
    const same = first.get(text);
    if (same === undefined) first.set(text, name);
    return same === undefined || text.length < MIN_REPEATED_CHARS || schema.type !== "object"
      ? [name, schema]
      : [name, { type: "object", description: `Same fields as ${same}` }];
  });
  return Object.fromEntries(entries);
}

function convertSchema(schema: z.ZodType, io: "input" | "output"): JsonSchemaNode {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return compact(rest, io) as JsonSchemaNode;
}

/**
 * Descriptions of response fields to omit: ids, times, counts, durations, simple examples and some flags, because the
 * names of the fields and the server's instructions say enough.
 */
const REDUNDANT_DESCRIPTION =
  /^(IDs? of|Number of|Time of|Whether there are|Whether recordedAt) |, (unix ms|in seconds|such as [a-z]+)$|ISO 3166|^Milliseconds$/;

/** Descriptions of response fields that only some arguments request. The descriptions of these arguments say enough. */
const CONDITIONAL_DESCRIPTION = /\b(Only with|Absent without) `/;

/** Limits to omit: the contract checks them, and its error messages name them. */
const LIMIT_KEYWORDS = new Set([
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "pattern",
  "propertyNames",
]);

/** Removes what does not help a model: bounds of all integers, closed objects and redundant descriptions. */
function compact(schema: unknown, io: "input" | "output"): unknown {
  if (Array.isArray(schema)) return schema.map((item) => compact(item, io));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]) =>
    shouldKeepKeyword(keyword, value, io) ? [[keyword, compactKeyword(keyword, value, io)] as const] : [],
  );
  return replaceTuple(flattenNullable(splitTypeList(Object.fromEntries(entries))));
}

/** Compacts the value of one keyword. The keys of `properties` are property names, not keywords. */
function compactKeyword(keyword: string, value: unknown, io: "input" | "output"): unknown {
  if (keyword !== "properties") return compact(value, io);
  const fields = Object.entries(value as Record<string, JsonSchemaNode>);
  return Object.fromEntries(
    fields
      .filter(([, { description }]) => io === "input" || !CONDITIONAL_DESCRIPTION.test(String(description)))
      .map(([name, field]) => [name, compact(field, io)]),
  );
}

function shouldKeepKeyword(keyword: string, value: unknown, io: "input" | "output"): boolean {
  if (keyword === "additionalProperties") return value !== false && Object.keys(value as object).length > 0;
  // A result is validated before it is sent, and the arguments list their required fields separately.
  if (keyword === "required" && Array.isArray(value)) return false;
  if (keyword === "description" && typeof value === "string")
    return io === "input" || !REDUNDANT_DESCRIPTION.test(value);
  if (LIMIT_KEYWORDS.has(keyword)) return false;
  if (keyword === "minimum" || keyword === "maximum")
    return io === "input" && Math.abs(value as number) !== Number.MAX_SAFE_INTEGER;
  return true;
}

/** Replaces a list of types with `anyOf`, because not every client supports the list. */
function splitTypeList(schema: JsonSchemaNode): JsonSchemaNode {
  const { type, description, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const anyOf = (type as string[]).map((name) =>
    name === "null" ? { type: name } : { type: name, ...rest },
  );
  return { anyOf, ...(description === undefined ? {} : { description }) };
}

/** Flattens a nullable schema inside a nullable schema. */
function flattenNullable(schema: JsonSchemaNode): JsonSchemaNode {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const [{ anyOf: inner, ...first } = {}, second] = anyOf as JsonSchemaNode[];
  return Array.isArray(inner) && second?.type === "null" ? { ...first, ...rest, anyOf: inner } : schema;
}

/** Replaces a tuple with a list of any of its types: drafts of JSON Schema differ in how they write tuples. */
function replaceTuple(schema: JsonSchemaNode): JsonSchemaNode {
  const { prefixItems, items: _items, ...rest } = schema;
  if (!Array.isArray(prefixItems)) return schema;
  return { ...rest, items: { anyOf: prefixItems } };
}

/** Also accepts times as text, because models are bad at calculating milliseconds. */
function timeSchema({ description }: JsonSchemaNode): JsonSchemaNode {
  return {
    anyOf: [{ type: "integer" }, { type: "string" }],
    description: `${description}, ISO 8601 or an age (7d)`,
  };
}

/** The JSON Schemas of the OpenAPI document: answers, bodies and errors, each by its name. */
import * as z from "zod";
import type { Endpoint } from "./define.ts";
import { game } from "./games.ts";
import { insight, insightItem } from "./insights.ts";
import { fullSession, session } from "./sessions.ts";
import { stats } from "./stats.ts";
import { toStrict } from "./strict.ts";
import { telemetryEnvelope, telemetryEvent } from "./telemetry.ts";

export type JsonObject = Record<string, unknown>;

/** Parts of answers that several endpoints share, by the names the document gives them. */
const sharedSchemas: Readonly<Record<string, z.ZodType>> = {
  Game: game,
  Session: session,
  FullSession: fullSession,
  Insight: insight,
  InsightItem: insightItem,
  Stats: stats,
};

const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
export const responseSchemaName = ({ name }: Endpoint) => `${capitalize(name)}Answer`;
export const bodySchemaName = ({ name }: Endpoint) => `${capitalize(name)}Body`;
export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** What is taken, as JSON Schema. */
export function toInputSchema(field: z.ZodType): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(field, { io: "input", ...conversion });
  return schema;
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** What the general conversion says that this API does not mean. */
const override: Override = ({ zodSchema, jsonSchema }) => {
  // Closed objects are the service's own strictness: answers may gain fields within a version.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // Events are checked one by one, so that their schema is not part of the envelope's.
  if (zodSchema === telemetryEnvelope.shape.events) {
    Object.assign(jsonSchema, { type: "array", items: refTo("TelemetryEvent") });
  }
};

const conversion = { unrepresentable: "any", override } as const;

/** The schemas of all answers and bodies, by name. */
export function buildSchemas(all: readonly Endpoint[]): JsonObject {
  const answers: [string, z.ZodType][] = [
    ...Object.entries(sharedSchemas),
    ...all.map((one): [string, z.ZodType] => [responseSchemaName(one), one.response]),
  ].map(([name, schema]) => [name, toStrict(schema)]);
  const bodies = all
    .filter(({ maxBody }) => maxBody > 0)
    .map((one): [string, z.ZodType] => [bodySchemaName(one), one.body]);
  return {
    ...convertSchemas(answers, "output"),
    ...convertSchemas([...bodies, ["TelemetryEvent", telemetryEvent]], "input"),
  };
}

/** Named schemas as JSON Schema, each referring to the others by name. */
function convertSchemas(
  named: readonly (readonly [string, z.ZodType])[],
  io: "input" | "output",
): JsonObject {
  const registry = z.registry<{ id: string }>();
  const twins: JsonObject = {};
  const nameOf = new Map<z.ZodType, string>();
  for (const [id, schema] of named) {
    const known = nameOf.get(schema);
    if (known === undefined) {
      nameOf.set(schema, id);
      registry.add(schema, { id });
    } else {
      twins[id] = refTo(known);
    }
  }
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(registry, { uri, io, ...conversion });
  const plain = Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [
    id,
    schema,
  ]);
  return { ...Object.fromEntries(plain), ...twins };
}

function errorSchema(more: JsonObject, required: readonly string[]): JsonObject {
  return {
    type: "object",
    properties: { error: { type: "string" }, ...more },
    required: ["error", ...required],
  };
}

const issue = {
  type: "object",
  properties: {
    path: { type: "array", items: { type: ["string", "integer"] } },
    code: { type: "string" },
    message: { type: "string" },
  },
  required: ["path", "code", "message"],
} as const;

/** The schemas of error bodies, by name. */
export const errorSchemas = {
  Error: errorSchema({}, []),
  BadRequest: errorSchema(
    { issues: { type: "array", items: issue, description: "One for each offending field" } },
    [],
  ),
  PaymentRequired: errorSchema({ requiresPremium: { type: "boolean", const: true } }, ["requiresPremium"]),
  Forbidden: errorSchema({ requiredScope: { type: "string", enum: ["management", "ingest"] } }, [
    "requiredScope",
  ]),
  RateLimited: errorSchema(
    {
      retryAfterMs: { type: "integer", minimum: 1 },
      scope: { type: "string", enum: ["key", "ip"] },
    },
    ["retryAfterMs", "scope"],
  ),
  Unavailable: errorSchema({ retryAfterMs: { type: "integer", minimum: 1 } }, ["retryAfterMs"]),
};

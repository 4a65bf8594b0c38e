/** The JSON Schemas of the OpenAPI document: responses, request bodies and errors, by name. */

import * as z from "zod";
import { capitalize } from "../shared/words.ts";
import type { Endpoint } from "./define.ts";
import { game } from "./games.ts";
import { insight, insightItem, insightWithClaims } from "./insights.ts";
import { BUDGET_SPENT } from "./refusals.ts";
import { stats } from "./result-fields.ts";
import { fullSession, sessionItem } from "./sessions.ts";
import { toStrict } from "./strict.ts";
import { telemetryEnvelope, telemetryEvent } from "./telemetry.ts";

export type JsonObject = Record<string, unknown>;

/** Parts of several responses, by their names in the document. */
const sharedSchemas: Readonly<Record<string, z.ZodType>> = {
  Game: game,
  Session: sessionItem,
  FullSession: fullSession,
  Insight: insight,
  InsightItem: insightItem,
  InsightWithClaims: insightWithClaims,
  Stats: stats,
};

export const responseSchemaName = ({ name }: Endpoint) => `${capitalize(name)}Answer`;
export const bodySchemaName = ({ name }: Endpoint) => `${capitalize(name)}Body`;
export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Converts the schema of a parameter. */
export function toInputSchema(field: z.ZodType): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(field, { io: "input", ...conversion });
  return schema;
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** Corrects what zod's conversion gets wrong for this API. */
const override: Override = ({ zodSchema, jsonSchema }) => {
  // Strict schemas are closed, but later services of the same API version may add fields to responses.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // A tuple ends after its last item, which maxItems says as well. Linters want a schema here.
  if (jsonSchema.items === false) jsonSchema.items = {};
  // Events are validated one by one, so the schema of the body does not include theirs.
  if (zodSchema === telemetryEnvelope.shape.events) {
    Object.assign(jsonSchema, { type: "array", items: refTo("TelemetryEvent") });
  }
};

const conversion = { unrepresentable: "any", override } as const;

/** The schemas of all responses and request bodies, by name. */
export function buildSchemas(all: readonly Endpoint[]): JsonObject {
  const answers: [string, z.ZodType][] = [
    ...Object.entries(sharedSchemas),
    ...all.map((endpoint): [string, z.ZodType] => [responseSchemaName(endpoint), endpoint.response]),
  ].map(([name, schema]) => [name, toStrict(schema)]);
  const bodies = all
    .filter(({ maxBody }) => maxBody > 0)
    .map((endpoint): [string, z.ZodType] => [bodySchemaName(endpoint), endpoint.body]);
  return {
    ...convertSchemas(answers, "output"),
    ...convertSchemas([...bodies, ["TelemetryEvent", telemetryEvent]], "input"),
  };
}

/** Converts named schemas to JSON Schema. They refer to each other by name. */
function convertSchemas(
  named: readonly (readonly [string, z.ZodType])[],
  io: "input" | "output",
): JsonObject {
  const registry = z.registry<{ id: string }>();
  const aliases: JsonObject = {};
  const namesBySchema = new Map<z.ZodType, string>();
  for (const [id, schema] of named) {
    const firstName = namesBySchema.get(schema);
    if (firstName === undefined) {
      namesBySchema.set(schema, id);
      registry.add(schema, { id });
    } else {
      aliases[id] = refTo(firstName);
    }
  }
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(registry, { uri, io, ...conversion });
  const converted = Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [
    id,
    schema,
  ]);
  return { ...Object.fromEntries(converted), ...aliases };
}

function errorSchema(extraProperties: JsonObject, required: readonly string[]): JsonObject {
  return {
    type: "object",
    properties: { error: { type: "string", description: "Message for people" }, ...extraProperties },
    required: ["error", ...required],
  };
}

const issue = {
  type: "object",
  properties: {
    path: {
      type: "array",
      items: { type: ["string", "integer"] },
      description: "Name of the parameter, or the path inside of the body",
    },
    code: { type: "string", description: "Kind of rule that is violated, such as too_small" },
    message: { type: "string", description: "Message for people" },
  },
  required: ["path", "code", "message"],
} as const;

const retryAfterMs = {
  type: "integer",
  minimum: 1,
  description: "Milliseconds to wait before the next request",
} as const;

/** The schemas of error bodies, by name. */
export const errorSchemas = {
  Error: errorSchema({}, []),
  BadRequest: errorSchema(
    { issues: { type: "array", items: issue, description: "One issue per invalid field" } },
    [],
  ),
  PaymentRequired: errorSchema({ requiresPremium: { type: "boolean", const: true } }, ["requiresPremium"]),
  Forbidden: errorSchema(
    {
      requiredScope: {
        type: "string",
        enum: ["management", "ingest", "ci"],
        description: "Scope of the key that the endpoint requires",
      },
      reason: {
        type: "string",
        enum: ["wrong_environment"],
        description: "The key is limited to another environment",
      },
      requiredEnvironment: {
        type: "string",
        description: "With the reason `wrong_environment`: the only environment of the key",
      },
    },
    [],
  ),
  RateLimited: errorSchema(
    {
      retryAfterMs,
      scope: {
        type: "string",
        enum: ["key", "ip"],
        description: "Whether the limit of the key or of the IP address was exceeded",
      },
      reason: {
        type: "string",
        enum: [BUDGET_SPENT],
        description: "A budget of the day is spent, not a rate. Keep the data and send it again later",
      },
    },
    ["retryAfterMs", "scope"],
  ),
  Unavailable: errorSchema({ retryAfterMs }, ["retryAfterMs"]),
};

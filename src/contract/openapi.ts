/** Builds the OpenAPI 3.1 document of the API from the table of endpoints. */
import * as z from "zod";
import { type ApiKeyKind, commonErrors, type Endpoint } from "./define.ts";
import { type HttpErrorCode, httpErrors } from "./errors.ts";
import { endpoints } from "./index.ts";
import {
  bodySchemaName,
  buildSchemas,
  errorSchemas,
  type JsonObject,
  refTo,
  responseSchemaName,
  toInputSchema,
} from "./openapi-schemas.ts";
import { openApiTags } from "./openapi-tags.ts";

/** Example responses by endpoint name and status, such as `getGame 200`. */
export type OpenApiExamples = Readonly<Record<string, unknown>>;

export function buildOpenApiDocument(examples: OpenApiExamples = {}): JsonObject {
  const all: Endpoint[] = Object.values(endpoints);
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of all) {
    paths[endpoint.path] ??= {};
    Object.assign(paths[endpoint.path] as JsonObject, {
      [endpoint.method.toLowerCase()]: buildOperation(endpoint, examples),
    });
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Playtest Analytics Service",
      version: "1.0.0",
      summary: "Read playtest data, and send telemetry from games",
      description:
        "Send an API key with every request. Management keys read data; ingest keys send telemetry. Times are in " +
        "unix milliseconds. A game can be named by its id or its slug. Version 1 of the API may add fields to " +
        "responses, so clients must ignore unknown fields.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(all.map(({ tag }) => tag))]
      .sort()
      .map((name) => ({ name, description: openApiTags[name] })),
    paths,
    components: {
      securitySchemes,
      headers: {
        RequestId: {
          description: "ID of the request, which the service also writes to its log",
          schema: { type: "string" },
        },
      },
      responses: Object.fromEntries(listSharedErrors(all).map((code) => [code, errorResponse(code)])),
      schemas: { ...buildSchemas(all), ...errorSchemas },
    },
  };
}

const securitySchemes = {
  management: { type: "http", scheme: "bearer", description: "Management key (`pt_mgmt_...`)" },
  ingest: { type: "http", scheme: "bearer", description: "Ingest key (`pt_ik_...`)" },
  ci: { type: "http", scheme: "bearer", description: "CI key (`pt_ci_...`)" },
  managementInQuery: {
    type: "apiKey",
    in: "query",
    name: "key",
    description: "Management key (`pt_mgmt_...`) in the query",
  },
} as const;

function buildSecurity({ keys, credential }: Endpoint): JsonObject[] {
  const getSchemeName = (kind: ApiKeyKind) => (credential === "query" ? "managementInQuery" : kind);
  return keys.map((kind) => ({ [getSchemeName(kind)]: [] }));
}

function buildOperation(endpoint: Endpoint, examples: OpenApiExamples): JsonObject {
  const content = (status: number) => {
    const example = examples[`${endpoint.name} ${status}`];
    const schema = refTo(responseSchemaName(endpoint));
    return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
  };
  const headers = {
    "X-Request-Id": { $ref: "#/components/headers/RequestId" },
    ...(endpoint.cacheControl
      ? { "Cache-Control": { schema: { type: "string", const: endpoint.cacheControl } } }
      : {}),
  };
  const successes = [endpoint.status, ...endpoint.otherStatuses].map((status) => [
    String(status),
    { description: describeSuccess(status), headers, content: content(status) },
  ]);
  const errors = listErrors(endpoint).map((code) => [
    String(httpErrors[code].status),
    endpoint.reasons[code]
      ? errorResponse(code, endpoint.reasons[code])
      : { $ref: `#/components/responses/${code}` },
  ]);
  const parameters = [...buildParameters(endpoint, "path"), ...buildParameters(endpoint, "query")];
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    security: buildSecurity(endpoint),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.maxBody > 0
      ? {
          requestBody: {
            required: true,
            description: `JSON of at most ${endpoint.maxBody} bytes after decompression`,
            content: { "application/json": { schema: refTo(bodySchemaName(endpoint)) } },
          },
        }
      : {}),
    responses: Object.fromEntries([...successes, ...errors]),
  };
}

function describeSuccess(status: number): string {
  if (status === 201) return "Created";
  return status === 202 ? "Accepted" : "Success";
}

function buildParameters({ params, query }: Endpoint, where: "path" | "query"): JsonObject[] {
  const { shape } = where === "path" ? params : query;
  return Object.entries(shape).map(([name, field]) => {
    const { description, ...schema } = toInputSchema(field as z.ZodType);
    const required = where === "path" || !(field instanceof z.ZodOptional);
    return { name, in: where, required, ...(description ? { description } : {}), schema };
  });
}

function listErrors(endpoint: Endpoint): HttpErrorCode[] {
  const codes = [...commonErrors, ...endpoint.errors];
  return codes.sort((a, b) => (httpErrors[a].status ?? 0) - (httpErrors[b].status ?? 0));
}

/** Lists errors whose description endpoints share. Errors with reasons are described for each endpoint. */
function listSharedErrors(all: readonly Endpoint[]): HttpErrorCode[] {
  const codes = new Set(
    all.flatMap((endpoint) => listErrors(endpoint).filter((code) => !endpoint.reasons[code])),
  );
  return (Object.keys(httpErrors) as HttpErrorCode[]).filter((code) => codes.has(code));
}

/** Schemas of error bodies that have more fields than the message. */
const errorBodySchemas: Partial<Record<HttpErrorCode, string>> = {
  bad_request: "BadRequest",
  payment_required: "PaymentRequired",
  forbidden: "Forbidden",
  rate_limited: "RateLimited",
  unavailable: "Unavailable",
};

/** Errors that have a Retry-After header. */
const retriable: readonly HttpErrorCode[] = ["rate_limited", "unavailable"];

function errorResponse(code: HttpErrorCode, reasons: readonly string[] = []): JsonObject {
  const retry = {
    "Retry-After": { description: "Seconds to wait before the next request", schema: { type: "integer" } },
  };
  const body = refTo(errorBodySchemas[code] ?? "Error");
  const schema = reasons.length > 0 ? addReason(body, reasons) : body;
  const [reason] = reasons;
  const example = {
    error: httpErrors[code].message,
    ...(reason === undefined ? errorFields[code] : { reason }),
  };
  return {
    description: httpErrors[code].message,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(retriable.includes(code) ? retry : {}),
    },
    content: { "application/json": { schema, example } },
  };
}

/** The further fields of error bodies, as a service sends them. */
const errorFields: Partial<Record<HttpErrorCode, JsonObject>> = {
  bad_request: {
    issues: [{ path: ["game"], code: "too_small", message: "must not be empty" }],
  },
  payment_required: { requiresPremium: true },
  forbidden: { requiredScope: "management" },
  rate_limited: { retryAfterMs: 1500, scope: "key" },
  unavailable: { retryAfterMs: 1000 },
};

/** Adds the field `reason` to the body of an error. */
function addReason(body: JsonObject, reasons: readonly string[]): JsonObject {
  return { allOf: [body, { type: "object", properties: { reason: { type: "string", enum: reasons } } }] };
}

/** The API as an OpenAPI 3.1 document, made from the table of endpoints: nothing in it is written twice. */
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

/** One answer of each endpoint, by its name; those without one are described alone. */
export type OpenApiExamples = Readonly<Record<string, unknown>>;

/** The whole document. */
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
      summary: "Reads playtest data out; game clients write it in",
      description:
        "Times are unix milliseconds. Wherever a game is named, its id or its slug is taken. Fields may be added " +
        "to answers within v1: unknown ones must be tolerated.",
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
        RequestId: { description: "Names the exchange in the service's log", schema: { type: "string" } },
      },
      responses: Object.fromEntries(listSharedErrors(all).map((code) => [code, errorResponse(code)])),
      schemas: { ...buildSchemas(all), ...errorSchemas },
    },
  };
}

const securitySchemes = {
  management: { type: "http", scheme: "bearer", description: "A management key, pt_mgmt_..." },
  ingest: { type: "http", scheme: "bearer", description: "An ingest key, pt_ik_..." },
  managementInQuery: { type: "apiKey", in: "query", name: "key", description: "A management key" },
} as const;

function buildSecurity({ keys, credential }: Endpoint): JsonObject[] {
  const nameOf = (kind: ApiKeyKind) => (credential === "query" ? "managementInQuery" : kind);
  return keys.map((kind) => ({ [nameOf(kind)]: [] }));
}

function buildOperation(endpoint: Endpoint, examples: OpenApiExamples): JsonObject {
  const example = examples[endpoint.name];
  const content = {
    "application/json": {
      schema: refTo(responseSchemaName(endpoint)),
      ...(example === undefined ? {} : { example }),
    },
  };
  const headers = {
    "X-Request-Id": { $ref: "#/components/headers/RequestId" },
    ...(endpoint.cacheControl
      ? { "Cache-Control": { schema: { type: "string", const: endpoint.cacheControl } } }
      : {}),
  };
  const answers = [endpoint.status, ...endpoint.otherStatuses].map((status) => [
    String(status),
    { description: describeStatus(status), headers, content },
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
            description: `At most ${endpoint.maxBody} bytes`,
            content: { "application/json": { schema: refTo(bodySchemaName(endpoint)) } },
          },
        }
      : {}),
    responses: Object.fromEntries([...answers, ...errors]),
  };
}

function describeStatus(status: number): string {
  if (status === 201) return "Created";
  return status === 202 ? "Stored" : "The answer";
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

/** The errors that endpoints share: those that carry reasons are an endpoint's own. */
function listSharedErrors(all: readonly Endpoint[]): HttpErrorCode[] {
  const codes = new Set(all.flatMap((one) => listErrors(one).filter((code) => !one.reasons[code])));
  return (Object.keys(httpErrors) as HttpErrorCode[]).filter((code) => codes.has(code));
}

/** The schema of an error's body, where it holds more than the message. */
const errorBodySchemas: Partial<Record<HttpErrorCode, string>> = {
  bad_request: "BadRequest",
  payment_required: "PaymentRequired",
  forbidden: "Forbidden",
  rate_limited: "RateLimited",
  unavailable: "Unavailable",
};

/** The errors that say when to try again. */
const retriable: readonly HttpErrorCode[] = ["rate_limited", "unavailable"];

function errorResponse(code: HttpErrorCode, reasons: readonly string[] = []): JsonObject {
  const retry = { "Retry-After": { description: "Seconds, rounded up", schema: { type: "integer" } } };
  const body = refTo(errorBodySchemas[code] ?? "Error");
  return {
    description: httpErrors[code].message,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(retriable.includes(code) ? retry : {}),
    },
    content: { "application/json": { schema: reasons.length > 0 ? withReason(body, reasons) : body } },
  };
}

/** The body of an error that may also name its reason. */
function withReason(body: JsonObject, reasons: readonly string[]): JsonObject {
  return { allOf: [body, { type: "object", properties: { reason: { type: "string", enum: reasons } } }] };
}

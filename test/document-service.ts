/**
 * A service that has only what the API document lists: it refuses other parameters and paths, its answers have no other fields,
 * and it announces nothing.
 */
import * as z from "zod";
import type { Transport } from "../src/client/transport.ts";
import { EXTENSIONS_HEADER } from "../src/contract/announcement.ts";
import { ENDPOINT_HEADER } from "../src/contract/define.ts";
import { marks } from "../src/contract/fields.ts";
import { endpoints } from "../src/contract/index.ts";
import { createRouter } from "../src/server/http/routes.ts";

const route = createRouter(Object.values(endpoints));

const refuse = (status: number, error: string) => ({
  ...{ status, headers: { "content-type": "application/json" }, body: JSON.stringify({ error }) },
});

/** Sends requests to a service as if it had no extensions. */
export function withoutExtensions(transport: Transport): Transport {
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const endpoint = route(pathname)?.byMethod.get(request.method);
    if (endpoint?.extension) return refuse(404, "Not found");
    const unknown = endpoint?.extensions.find((parameter) => searchParams.has(parameter));
    if (unknown !== undefined) return refuse(400, `Unknown parameter ${unknown}`);
    const response = await transport(request);
    const { [EXTENSIONS_HEADER]: _extensions, [ENDPOINT_HEADER]: _endpoint, ...headers } = response.headers;
    if (endpoint === undefined || response.status >= 400) return { ...response, headers };
    const body = JSON.stringify(keepDocumented(endpoint.response, JSON.parse(response.body)));
    return { ...response, headers, body };
  };
}

/** A value without the fields that are extensions. */
function keepDocumented(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return value === null || value === undefined
      ? value
      : keepDocumented(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => keepDocumented(schema.element as z.ZodType, item));
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, field]) => {
    const own = schema.shape[name] as z.ZodType | undefined;
    if (own === undefined) return [[name, field]];
    return marks.get(own)?.added ? [] : [[name, keepDocumented(own, field)]];
  });
  return Object.fromEntries(kept);
}

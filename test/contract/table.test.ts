/** Consistency of the table of endpoints: names, paths, parameters, tools and errors. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { commonErrors, type Endpoint, endpointEntries } from "../../src/contract/define.ts";
import { findHttpErrorCode, httpErrors } from "../../src/contract/errors.ts";
import { endpoints } from "../../src/contract/index.ts";
import { frictionTypes, insightTypes, sentiments } from "../../src/contract/insights.ts";
import { type NounKind, nouns } from "../../src/contract/nouns.ts";
import { sessionSources, sessionStatuses } from "../../src/contract/sessions.ts";

const all = Object.entries<Endpoint>(endpoints);

const bodyShape = ({ body }: Endpoint): Readonly<Record<string, unknown>> =>
  body instanceof z.ZodObject ? body.shape : {};

describe.each(all)("%s", (name, endpoint) => {
  it("is listed under its own name", () => expect(endpoint.name).toBe(name));

  it("has schemas for exactly the parameters of its path", () => {
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    expect(Object.keys(endpoint.params.shape)).toEqual(inPath);
    expect(Object.keys(endpoint.query.shape).filter((field) => inPath.includes(field))).toEqual([]);
  });

  it("declares only known errors, each once", () => {
    const declared = [...endpoint.errors, ...commonErrors];
    for (const code of declared) expect(httpErrors[code].status).toBeGreaterThanOrEqual(400);
    expect(new Set(declared).size).toBe(declared.length);
  });

  it("is paged exactly if it has items, a limit and an offset", () => {
    const fields = Object.keys(endpoint.query.shape);
    // Pages of testers are larger and may end early, so they are not lists of items.
    const paged = endpoint.paged || name === "getBuildFacts";
    // Lists that grow while they are read continue at a cursor instead of an offset.
    const limited = paged || fields.includes("cursor") || fields.includes("after");
    expect([fields.includes("limit"), fields.includes("offset")]).toEqual([limited, paged]);
  });

  it("is a read or a webhook with a management key, telemetry with an ingest key, or registers builds with a CI key", () => {
    if (endpoint.path.startsWith("/api/v1/"))
      expect([endpoint.method, endpoint.keys]).toEqual([
        "GET",
        name === "getEventConfig" ? ["management", "ingest"] : ["management"],
      ]);
    else if (endpoint.path.startsWith("/api/webhooks/"))
      expect([endpoint.credential, endpoint.keys]).toEqual(["query", ["management"]]);
    else if (endpoint.path.startsWith("/api/ci/"))
      expect([endpoint.method, endpoint.tool, endpoint.keys]).toEqual(["POST", null, ["ci"]]);
    else expect([endpoint.path.startsWith("/api/telemetry"), endpoint.keys]).toEqual([true, ["ingest"]]);
    expect(endpoint.maxBody > 0).toBe(endpoint.method !== "GET");
  });
});

describe.each(all)("%s", (_, endpoint) => {
  const fields = [
    ...Object.keys(endpoint.params.shape),
    ...Object.keys(endpoint.query.shape),
    ...Object.keys(bodyShape(endpoint)),
  ];

  it("lists each parameter of its path under names", () => {
    expect(Object.keys(endpoint.params.shape).filter((name) => !(name in endpoint.names))).toEqual([]);
  });

  it("refers only to fields of its input in names, excludes, extensions and sample", () => {
    const { names, excludes, sample, extensions } = endpoint;
    const used = [names, excludes, sample].flatMap((record) => Object.keys(record)).concat(extensions);
    expect([...used, ...Object.values(excludes).flat()].filter((name) => !fields.includes(name))).toEqual([]);
  });

  it("has a value for each required field in names or sample", () => {
    const shape = { ...endpoint.query.shape, ...bodyShape(endpoint) };
    const required = Object.keys(shape).filter((name) => !(shape[name] instanceof z.ZodOptional));
    expect(required.filter((name) => !(name in endpoint.names) && !(name in endpoint.sample))).toEqual([]);
  });

  it("uses only known nouns in its sample", () => {
    const words = Object.values(endpoint.sample).flatMap(
      (value) => /^\{(\w+)\}$/.exec(String(value))?.[1] ?? [],
    );
    expect(words.filter((word) => word !== "unique" && !(word in nouns))).toEqual([]);
  });

  it("has only optional extension parameters", () => {
    const shape: Readonly<Record<string, unknown>> = endpoint.query.shape;
    const required = endpoint.extensions.filter((name) => !(shape[name] instanceof z.ZodOptional));
    expect(required).toEqual([]);
    expect("applied" in (endpoint.response as z.ZodObject).shape).toBe(endpoint.extensions.length > 0);
  });
});

it("contains all endpoints that files of src/contract export", async () => {
  const folder = join(import.meta.dirname, "..", "..", "src", "contract");
  const files = readdirSync(folder).filter((file) => file !== "index.ts" && file.endsWith(".ts"));
  const exported: string[] = [];
  for (const file of files) {
    exported.push(...endpointEntries(await import(join(folder, file))).map(([name]) => name));
  }
  expect(exported.filter((name) => !(name in endpoints))).toEqual([]);
  expect(exported.length).toBe(all.length);
});

it("marks all reads as extensions except the 22 that the API document lists", () => {
  const reads = all.filter(([, { path, extension }]) => path.startsWith("/api/v1/") && !extension);
  expect(reads.length).toBe(22);
});

it("refers only to existing commands and tools in nouns", () => {
  const tools = all.flatMap(([, { tool }]) => tool ?? []);
  const listed = Object.values<NounKind>(nouns).flatMap(({ tool }) => tool?.split(" ")[0] ?? []);
  expect(listed.filter((tool) => !tools.includes(tool))).toEqual([]);
});

it("has unique methods and paths, and unique tool names", () => {
  const routes = all.map(([, { method, path }]) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
  expect(new Set(routes).size).toBe(routes.length);
  const tools = all.flatMap(([, { tool }]) => tool ?? []);
  expect(new Set(tools).size).toBe(tools.length);
  for (const tool of tools) expect(tool).toMatch(/^[a-z]+(_[a-z]+)+$/);
});

describe("the error table", () => {
  it("has a unique status for each code", () => {
    for (const [code, { status }] of Object.entries(httpErrors)) expect(findHttpErrorCode(status)).toBe(code);
  });

  it("has no code for an unknown status", () => {
    expect([407, 418, 502, 302].map(findHttpErrorCode)).toEqual([null, null, null, null]);
  });
});

it("lists the values of the API document", () => {
  expect([insightTypes.length, frictionTypes.length, sentiments.length]).toEqual([11, 7, 3]);
  expect([sessionSources.length, sessionStatuses.length]).toEqual([8, 5]);
  for (const type of frictionTypes) expect(insightTypes).toContain(type);
});

/** The table of endpoints holds together: names, paths, parameters, tools and errors. */
import { describe, expect, it } from "vitest";
import { commonErrors } from "../../src/contract/define.ts";
import { codeOfStatus, type ErrorKind, errorKinds } from "../../src/contract/errors.ts";
import { endpoints } from "../../src/contract/index.ts";
import { frictionTypes, insightTypes, sentiments } from "../../src/contract/insights.ts";
import { sessionSources, sessionStatuses } from "../../src/contract/sessions.ts";

const all = Object.entries(endpoints);

describe.each(all)("%s", (name, endpoint) => {
  it("is listed under its own name", () => expect(endpoint.name).toBe(name));

  it("has a schema for each parameter of its path, and for no other", () => {
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    expect(Object.keys(endpoint.params.shape)).toEqual(inPath);
    expect(Object.keys(endpoint.query.shape).filter((field) => inPath.includes(field))).toEqual([]);
  });

  it("declares errors of the service alone, each once", () => {
    const declared = [...endpoint.errors, ...commonErrors];
    for (const code of declared) expect(errorKinds[code].status).toBeGreaterThanOrEqual(400);
    expect(new Set(declared).size).toBe(declared.length);
  });

  it("pages exactly if it takes a limit and an offset", () => {
    const fields = Object.keys(endpoint.query.shape);
    expect([fields.includes("limit"), fields.includes("offset")]).toEqual([endpoint.paged, endpoint.paged]);
  });

  it("is a management read, a webhook, or telemetry with an ingest key", () => {
    if (endpoint.path.startsWith("/api/v1/"))
      expect([endpoint.method, endpoint.keys]).toEqual([
        "GET",
        name === "getEventConfig" ? ["management", "ingest"] : ["management"],
      ]);
    else if (endpoint.path.startsWith("/api/webhooks/"))
      expect([endpoint.credential, endpoint.keys]).toEqual(["query", ["management"]]);
    else expect([endpoint.path.startsWith("/api/telemetry"), endpoint.keys]).toEqual([true, ["ingest"]]);
    expect(endpoint.maxBody > 0).toBe(endpoint.method !== "GET");
  });
});

it("has no two endpoints of one method and path, and no two tools of one name", () => {
  const routes = all.map(([, { method, path }]) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
  expect(new Set(routes).size).toBe(routes.length);
  const tools = all.flatMap(([, { tool }]) => tool ?? []);
  expect(new Set(tools).size).toBe(tools.length);
  for (const tool of tools) expect(tool).toMatch(/^[a-z]+(_[a-z]+)+$/);
});

describe("the error table", () => {
  it("finds each status' own code, and the nearest for the rest", () => {
    const kinds = Object.entries(errorKinds) as [string, ErrorKind][];
    const statuses = kinds.flatMap(([, { status }]) => status ?? []);
    expect(new Set(statuses).size).toBe(statuses.length);
    for (const [code, { status }] of kinds) if (status !== null) expect(codeOfStatus(status)).toBe(code);
    expect([418, 599, 302].map(codeOfStatus)).toEqual(["conflict", "internal", "contract"]);
  });
});

it("knows the values that the API lists", () => {
  expect([insightTypes.length, frictionTypes.length, sentiments.length]).toEqual([11, 7, 3]);
  expect([sessionSources.length, sessionStatuses.length]).toEqual([8, 5]);
  for (const type of frictionTypes) expect(insightTypes).toContain(type);
});

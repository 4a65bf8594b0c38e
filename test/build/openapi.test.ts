/** The OpenAPI document matches the contract, is up to date, and passes a public linter. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../src/contract/define.ts";
import { httpErrors } from "../../src/contract/errors.ts";
import { endpoints } from "../../src/contract/index.ts";
import { openApiText } from "../../src/server/http/openapi.prepared.ts";

const root = join(import.meta.dirname, "..", "..");
const document = JSON.parse(openApiText);

interface ResponseObject {
  readonly $ref?: string;
  readonly content: { readonly "application/json": { readonly example?: unknown } };
}

async function lint(source: string) {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: { "no-invalid-media-type-examples": "error", "no-invalid-schema-examples": "error" },
  });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
}

describe("the linter", () => {
  it("reports no problems in the document", async () => {
    expect(await lint(JSON.stringify(document))).toEqual([]);
  });

  it("reports a missing operation id, a broken reference, and an invalid example", async () => {
    const broken = structuredClone(document);
    delete broken.paths["/api/v1/games"].get.operationId;
    broken.paths["/api/v1/games/{id}"].get.responses["404"].$ref = "#/components/responses/nothing";
    broken.paths["/api/v1/sessions"].get.responses["200"].content["application/json"].example.total = "many";
    const found = (await lint(JSON.stringify(broken))).join("\n");
    expect(found).toContain("operation-operationId: ");
    expect(found).toContain("no-unresolved-refs: ");
    expect(found).toContain("no-invalid-media-type-examples: ");
  });
});

it("docs/openapi.json is up to date", () => {
  expect(JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8"))).toEqual(document);
});

describe.each(Object.entries(endpoints) as [string, Endpoint][])("%s", (name, endpoint) => {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];

  it("has its name, summary and all possible statuses", () => {
    expect([operation.operationId, operation.summary]).toEqual([name, endpoint.summary]);
    const errors = endpoint.errors.map((code) => String(httpErrors[code].status));
    const own = [endpoint.status, ...endpoint.otherStatuses].map(String);
    const common = ["400", "401", "403", "421", "429", "500", "503"];
    expect(Object.keys(operation.responses).sort()).toEqual(
      [...new Set([...own, ...errors, ...common])].sort(),
    );
  });

  it("has its parameters, its body and its key", () => {
    const named = [...Object.keys(endpoint.params.shape), ...Object.keys(endpoint.query.shape)];
    expect((operation.parameters ?? []).map((one: { name: string }) => one.name)).toEqual(named);
    expect(operation.requestBody !== undefined).toBe(endpoint.maxBody > 0);
    const [scheme = ""] = Object.keys(operation.security[0]);
    expect(scheme).toBe(endpoint.credential === "query" ? "managementInQuery" : endpoint.keys[0]);
    expect(document.components.securitySchemes[scheme]).toBeDefined();
  });
});

it("shows examples whose totals and pages are those of their rows", () => {
  const findExample = (path: string) =>
    document.paths[path].get.responses["200"].content["application/json"].example;
  for (const { method, path, status, query } of Object.values(endpoints) as Endpoint[]) {
    const example = method === "GET" && status === 200 && "limit" in query.shape ? findExample(path) : null;
    const rows = example?.items ?? example?.testers;
    if (rows === undefined || example.total === undefined) continue;
    expect([path, example.hasMore]).toEqual([path, rows.length < example.total]);
  }
  const { byName, total } = findExample("/api/v1/events/{game}");
  expect((Object.values(byName) as number[]).reduce((sum, count) => sum + count, 0)).toBe(total);
  const { events: shown, eventCount } = findExample("/api/v1/insights/{id}");
  expect(shown).toHaveLength(eventCount);
});

it("describes parameters as the contract does", () => {
  const { parameters } = document.paths["/api/v1/sessions"].get;
  const byName = Object.fromEntries(parameters.map((one: { name: string }) => [one.name, one]));
  expect(byName.limit).toMatchObject({
    in: "query",
    required: false,
    schema: { type: "integer", minimum: 1 },
  });
  expect(byName.q.schema).toMatchObject({ type: "string", minLength: 1, maxLength: 200 });
  expect(byName.status.schema.enum).toContain("transcribing");
  expect(byName.env.schema.pattern).toBe("^[a-z0-9_-]+$");
});

it("describes responses in their strict form, but allows further fields", () => {
  const { Session, FullSession, InsightItem, Insight } = document.components.schemas;
  expect(Session.required).toContain("testerHandle");
  expect(Session.properties.testerHandle).toEqual({
    type: ["string", "null"],
    description: "The tester's handle",
  });
  expect(FullSession.required).toContain("event_counts");
  expect(InsightItem.required).not.toContain("evidence");
  expect(Insight.required).toContain("evidence");
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
});

it("has a schema for the items of every array, which Spectral requires", () => {
  expect(JSON.stringify(document)).not.toContain('"items":false');
});

it("has an example of every response", () => {
  const { responses } = document.components;
  const without = Object.values(endpoints as Record<string, Endpoint>).flatMap(({ name, path, method }) =>
    Object.entries<ResponseObject>(document.paths[path][method.toLowerCase()].responses)
      .map(
        ([status, response]) =>
          [status, responses[response.$ref?.split("/").at(-1) ?? ""] ?? response] as const,
      )
      .filter(([, { content }]) => content["application/json"].example === undefined)
      .map(([status]) => `${name} ${status}`),
  );
  expect(without).toEqual([]);
});

it("declares Retry-After for errors that have it", () => {
  const { responses } = document.components;
  const carrying = Object.keys(responses).filter((code) => "Retry-After" in responses[code].headers);
  expect(carrying).toEqual(["rate_limited", "unavailable"]);
  expect(document.components.schemas.Unavailable.required).toEqual(["error", "retryAfterMs"]);
});

it("declares the reasons of errors", () => {
  const reasonsOf = (path: string, method = "post") => {
    const responses: Record<string, { content?: { "application/json": { schema: { allOf?: object[] } } } }> =
      document.paths[path][method].responses;
    return Object.entries(responses).flatMap(([status, { content }]) =>
      (content?.["application/json"].schema.allOf ?? []).flatMap((part) =>
        "properties" in part ? [[status, part.properties]] : [],
      ),
    );
  };
  const oneOf = (...reasons: string[]) => ({ reason: { type: "string", enum: reasons } });
  expect(reasonsOf("/api/telemetry/feedback")).toEqual([
    ["400", oneOf("unknown_field", "repeated_field", "invalid_value", "missing_field", "no_responses")],
    ["404", oneOf("unknown_form", "unknown_session")],
    ["409", oneOf("idempotency_conflict", "erased")],
  ]);
  const unknown = ["404", oneOf("unknown_game", "unknown_claim_token")];
  const [elsewhere, linked] = ["already_linked_to_another_device", "device_linked"];
  const required = ["400", oneOf("game_required")];
  expect(reasonsOf("/api/telemetry/claim")).toEqual([required, unknown, ["409", oneOf(elsewhere, linked)]]);
  expect(reasonsOf("/api/telemetry/claim", "delete")).toEqual([required, unknown, ["409", oneOf(elsewhere)]]);
});

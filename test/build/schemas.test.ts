/** The published JSON Schemas accept valid files, describe each rule, and reject unknown names. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { schemaFiles } from "../../scripts/schemas.ts";
import { toGateDocument } from "../../src/render/gate/json.ts";
import { verdicts as samples } from "../render/gate/samples.ts";

const verdicts = samples.map(([name, verdict]) => [name, toGateDocument(verdict)] as const);

function read(path: string) {
  const text = schemaFiles()[path] ?? "";
  const json = JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0];
  return { text, schema: z.fromJSONSchema(json) };
}

describe("of a gate's verdict", () => {
  const { schema } = read("docs/schemas/gate-verdict.schema.json");

  test.each(verdicts)("accepts a verdict: %s", (_name, verdict) => {
    expect(schema.safeParse(verdict).error).toBeUndefined();
  });

  test("accepts fields of later versions, and rejects a verdict without a required field", () => {
    const [[, verdict] = []] = verdicts;
    expect(schema.safeParse({ ...verdict, added: 1 }).success).toBe(true);
    expect(schema.safeParse({ ...verdict, judged: undefined }).success).toBe(false);
    expect(schema.safeParse({ ...verdict, schemaVersion: 1 }).success).toBe(false);
  });
});

test("of a gate's error does not accept a verdict, and the other way round", () => {
  const error = { code: "network", message: "x", hint: "y", status: null, requestId: null, exitCode: 51 };
  const failure = {
    ...{ schemaVersion: 2, verdict: "error", game: null, environment: "production", a: "previous", b: "2" },
    error,
  };
  const { schema } = read("docs/schemas/gate-error.schema.json");
  const [[, verdict] = []] = verdicts;
  expect([schema.safeParse(failure).success, schema.safeParse(verdict).success]).toEqual([true, false]);
  expect(read("docs/schemas/gate-verdict.schema.json").schema.safeParse(failure).success).toBe(false);
});

describe("of playtest.config.json", () => {
  const { schema, text } = read("schemas/playtest.config.schema.json");

  test("accepts valid files, and rejects unknown names", () => {
    const gate = { maxNew: 1, allow: [{ tag: "bug-report:*", reason: "PT-1", expires: "2026-12-31" }] };
    expect(schema.safeParse({ $schema: "./x.json", game: "ember", gate }).success).toBe(true);
    expect(schema.safeParse({ gate: { ...gate, maxnew: 1 } }).success).toBe(false);
    expect(schema.safeParse({ gate: { tags: [{ tag: "x", level: "fatal" }] } }).success).toBe(false);
    expect(schema.safeParse({ baseUrl: "https://evil.test" }).success).toBe(false);
  });

  test("describes each rule", () => {
    const { properties } = JSON.parse(text) as {
      properties: { gate: { properties: Record<string, { description?: string }> } };
    };
    for (const [name, { description }] of Object.entries(properties.gate.properties))
      expect(description, name).toMatch(/\w/);
  });
});

describe("of a map for CSV files", () => {
  const { schema } = read("schemas/playtest.csv-map.schema.json");
  const time = { column: "t", format: "unix-s" };

  test("accepts valid maps, and rejects unknown names", () => {
    const map = {
      session: "s",
      event: { columns: ["a", "b"] },
      time,
      data: ["x", { column: "j", path: "a.b" }],
    };
    expect(schema.safeParse({ $schema: "./x.json", ...map }).error).toBeUndefined();
    expect(schema.safeParse({ preset: "opengamedata", room: "level" }).success).toBe(true);
    expect(schema.safeParse({ ...map, sesion: "s" }).success).toBe(false);
    expect(schema.safeParse({ ...map, time: { ...time, format: "guess" } }).success).toBe(false);
    expect(schema.safeParse({ ...map, preset: "mixpanel" }).success).toBe(false);
  });
});

/** Random requests to all endpoints: no internal errors, and all responses match the contract. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Endpoint } from "../../src/contract/define.ts";
import { commonErrors } from "../../src/contract/define.ts";
import { httpErrors } from "../../src/contract/errors.ts";
import { toStrict } from "../../src/contract/strict.ts";
import { type Answer, send, startTestService, type TestService } from "../harness.ts";
import fc from "../property.ts";
import { eachEndpoint, makeWorld, type Sample, samples, type World } from "./sample-requests.ts";

let service: TestService;
let world: World;

beforeAll(async () => {
  service = await startTestService();
  world = await makeWorld(service, service, "own");
});

afterAll(() => service.stop());

/** Requests per endpoint. Together, they take a few seconds. */
const RUNS = 60;

/** Text, percent-encoded or not. */
const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }).map(encodeURIComponent),
  fc.string({ unit: "binary-ascii", maxLength: 12 }).map((text) => text.replaceAll(/[^!-~]|[?#/\\]/g, "%")),
  fc.integer().map(String),
  fc.constantFrom("all", "%00", "%", "..", "__proto__", "1e3", "-0", "0", "x".repeat(300), "%F0%9F%98%80"),
);

const named = ["id", "game", "gameId", "sessionId", "deviceId", "slug", "version", "a", "b", "build"];

/** A value of a field of a body: the one of the sample, or a random one. */
const anything = fc.oneof(
  fc.anything({ maxDepth: 3, withNullPrototype: false }),
  fc.jsonValue({ maxDepth: 3 }),
);

interface Draw {
  readonly params: Record<string, string | undefined>;
  readonly query: [string, string | undefined][];
  readonly body: Record<string, unknown>;
  readonly whole: unknown;
}

/** The changed parts of a request. `undefined` keeps the value of the sample. */
function draws(endpoint: Endpoint, fields: readonly string[]): fc.Arbitrary<Draw> {
  const params = Object.keys(endpoint.params.shape);
  const query = Object.keys(endpoint.query.shape);
  const pair = fc.tuple(fc.constantFrom(...(query.length > 0 ? query : ["x"]), ...named), piece);
  const changed = fc.option(piece, { nil: undefined, freq: 2 });
  return fc.record({
    params: fc.record(Object.fromEntries(params.map((name) => [name, changed]))),
    query: fc.array(pair, { maxLength: 4 }),
    body: fc.record(Object.fromEntries(fields.map((name) => [name, anything])), { requiredKeys: [] }),
    whole: fc.option(anything, { nil: undefined, freq: 6 }),
  });
}

function pathOf(endpoint: Endpoint, sample: Sample, drawn: Draw): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = drawn.params[name] ?? encodeURIComponent(sample.params[name] ?? "");
    return value === "" ? "%20" : value;
  });
  const kept = Object.entries(sample.query).filter(([name]) =>
    drawn.query.every(([other]) => other !== name),
  );
  const pairs = [...kept.map(([name, value]) => [name, encodeURIComponent(value)]), ...drawn.query];
  return `${path}?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

async function sendDrawn(endpoint: Endpoint, sample: Sample, drawn: Draw): Promise<Answer> {
  const key = world.keys[endpoint.keys[0] ?? "management"];
  const path = pathOf(endpoint, sample, drawn);
  const inQuery = endpoint.credential === "query";
  const content = drawn.whole === undefined ? { ...sample.body, ...drawn.body } : drawn.whole;
  return await send(service.app, inQuery ? `${path}&key=${key}` : path, {
    method: endpoint.method,
    headers: {
      ...(inQuery ? {} : { authorization: `Bearer ${key}` }),
      ...(endpoint.maxBody > 0 ? { "content-type": "application/json" } : {}),
    },
    ...(endpoint.maxBody > 0 ? { body: jsonText(content) } : {}),
  });
}

/** Returns the JSON of a random value, or invalid JSON for values without a JSON form. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "undefined";
  } catch {
    return "unwritable";
  }
}

const error = z.looseObject({ error: z.string().min(1) });

/** Throws unless the endpoint declares the response. */
function expectDeclared(endpoint: Endpoint, answer: Answer): void {
  expect([answer.status, answer.text]).toEqual([answer.status, expect.stringMatching(/^[{]/)]);
  expect(answer.status).toBeLessThan(500);
  if (answer.status < 300) {
    expect([endpoint.status, ...endpoint.otherStatuses]).toContain(answer.status);
    expect(toStrict(endpoint.response).safeParse(answer.json).error).toBeUndefined();
    return;
  }
  // A changed path may belong to another endpoint or to none.
  const own = [...commonErrors, ...endpoint.errors].map((code) => httpErrors[code].status);
  expect([...own, 404]).toContain(answer.status);
  expect(error.safeParse(answer.json).error).toBeUndefined();
}

describe.each(eachEndpoint())("%s", (name, endpoint) => {
  it("returns only declared responses", async () => {
    const fields = [
      ...Object.keys((endpoint.body as Partial<z.ZodObject>).shape ?? {}),
      ...Object.keys(samples[name](world).body ?? {}),
    ];
    await fc.assert(
      fc.asyncProperty(draws(endpoint, [...new Set(fields)]), async (drawn) => {
        const answer = await sendDrawn(endpoint, samples[name](world), drawn);
        const literal = Object.values(drawn.params).some((value) => value !== undefined);
        // A changed path may belong to another endpoint, whose response the service validates itself.
        if (literal && answer.status === 200) return;
        expectDeclared(endpoint, answer);
      }),
      { numRuns: RUNS },
    );
    expect(service.faults).toEqual([]);
  });
});

/** Random requests, derived from the contract, to a service with the demo studio: no internal errors, only declared responses. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commonErrors, type Endpoint } from "../../src/contract/define.ts";
import { httpErrors } from "../../src/contract/errors.ts";
import { toStrict } from "../../src/contract/strict.ts";
import { ensureHandle, issueClaimToken } from "../../src/server/testers/handles.ts";
import { startDemo } from "../cli/demo.ts";
import { type Answer, send, type TestService } from "../harness.ts";
import fc, { seed, times } from "../property.ts";
import { eachEndpoint, type Sample, samples, type World } from "../server/sample-requests.ts";
import { anyJson, findPaths, replaceAt } from "./mutations.ts";
import { errorBody } from "./wire.ts";

const REQUESTS = process.env.PLAYTEST_FAULTS === "long" ? 1_000_000 : times(2000);

let service: TestService;
let world: World;

beforeAll(async () => {
  service = await startDemo("studio");
  world = await namesOf(service);
});
afterAll(() => service.stop());

/** Names of the demo studio. */
async function namesOf({ get, keys, service: making }: TestService): Promise<World> {
  const slug = "ember";
  const gameId = (await get(`/api/v1/games/${slug}`)).json.game.id as string;
  const [session] = (await get(`/api/v1/sessions?game=${slug}&build=0.9.0&limit=1`)).json.items;
  const { rollup } = (await get(`/api/v1/builds/${slug}/0.9.0`)).json;
  expect(rollup.sessionCount).toBeGreaterThan(1);
  const handles = (await get(`/api/v1/handles/${slug}`)).json.handles as { device_id: string | null }[];
  const { writeDb: write } = making.store;
  const handle = await ensureHandle(write, making, gameId, "fuzzed");
  return {
    keys,
    gameId,
    slug,
    sessionId: session.id,
    version: "0.8.0",
    later: "0.9.0",
    deviceId: handles.find((one) => one.device_id !== null)?.device_id ?? "none",
    experimentId: (await get(`/api/v1/games/${slug}/experiments`)).json.experiments[0].id,
    formId: (await get(`/api/v1/games/${slug}/prompts`)).json.forms[0].id,
    batchId: (await get(`/api/v1/batches/${slug}`)).json.batches[0].id,
    insightId: (await get(`/api/v1/insights?game=${slug}&limit=1`)).json.items[0].id,
    bugReportId: (await get(`/api/v1/bug-reports/${slug}?limit=1`)).json.items[0]?.id ?? "none",
    submissionId: (await get(`/api/v1/feedback/${slug}?limit=1`)).json.items[0].submissionId,
    claimToken: await issueClaimToken(write, handle),
    receiver: "none",
  };
}

/** Valid and invalid percent-encoded values. */
const hostile = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ unit: "binary-ascii", maxLength: 12 }).map((text) => text.replaceAll(/[^!-~]|[?#/\\]/g, "%")),
  fc.integer().map(String),
  fc.constantFrom(
    ...[
      "all",
      "__proto__",
      "constructor",
      "toString",
      "%00",
      "a%00b",
      "%",
      "%2",
      "%zz",
      "%u0041",
      "%ff",
      "%c0%af",
    ],
    ...[
      "%ed%a0%80",
      "%f0%9f%98%80",
      "%252e%252e",
      "%2e%2e",
      "..%2f..%2f",
      "%2f",
      "%5c",
      "%0d%0aX:%20y",
      "%EF%BB%BF",
    ],
    ...["1e999", "-0", "0", "00", "1e3", "1E400", "9".repeat(400), "0x10", "+1", "%2b1", "NaN", "1.5", "-1"],
    ...[
      "x".repeat(120),
      "x".repeat(121),
      "x".repeat(257),
      "%C3%A9".repeat(200),
      "'%20or%201=1--",
      "%25",
      "*",
      "%20",
    ],
    ...[
      "latest",
      "previous",
      "production",
      "unity-telemetry",
      "9007199254740993",
      "8640000000000001",
      "null",
      "%22%7B",
    ],
  ),
);

const headers = fc.constantFrom<Record<string, string>>(
  ...Array.from({ length: 12 }, () => ({})),
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-encoding": "gzip" },
  { "content-encoding": "br" },
  { "x-request-id": "x".repeat(500) },
  { "x-request-id": "pt_mgmt_0123456789012345678901234567890123456789" },
  { "x-forwarded-for": "1.2.3.4, <script>" },
  { "x-http-method-override": "DELETE" },
  { origin: "http://evil.example" },
  { accept: "text/html" },
  { range: "bytes=0-1" },
  { "if-none-match": "*" },
  { traceparent: `00-${"f".repeat(32)}-${"f".repeat(16)}-01` },
);

interface Drawn {
  readonly at: number;
  /** The values of path parameters, in their order. */
  readonly params: readonly (string | undefined)[];
  readonly query: readonly (readonly [number, string])[];
  readonly ids: readonly number[];
  readonly body: { readonly place: number; readonly json: string } | { readonly bytes: Uint8Array } | null;
  readonly gzip: boolean;
  readonly headers: Record<string, string>;
  readonly method: string | null;
  readonly key: "own" | "other" | "none" | "unknown";
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  at: fc.nat(eachEndpoint().length - 1),
  params: fc.array(fc.option(hostile, { nil: undefined, freq: 3 }), { minLength: 2, maxLength: 2 }),
  query: fc.array(fc.tuple(fc.nat(20), hostile), { maxLength: 4 }),
  ids: fc.array(fc.nat(40), { maxLength: 2 }),
  body: fc.oneof(
    { weight: 6, arbitrary: fc.record({ place: fc.nat(60), json: anyJson }) },
    { weight: 1, arbitrary: fc.record({ bytes: fc.uint8Array({ maxLength: 40 }) }) },
    { weight: 2, arbitrary: fc.constant(null) },
  ),
  gzip: fc.boolean(),
  headers,
  method: fc.option(fc.constantFrom("GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH"), { freq: 9 }),
  key: fc.constantFrom(...Array.from({ length: 12 }, () => "own" as const), "other", "none", "unknown"),
});

const encoded = (text: string) => encodeURIComponent(text);

/** Returns path and query: with existing names, hostile names, and names of another kind. */
function urlOf(endpoint: Endpoint, sample: Sample, { params, query, ids }: Drawn): string {
  const real = Object.values(world).filter((value) => typeof value === "string");
  const moved = ids.map((id) => encoded(real[id % real.length] ?? ""));
  let at = 0;
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[at] ?? moved[at] ?? encoded(sample.params[name] ?? "");
    at += 1;
    return value === "" ? "%20" : value;
  });
  const known = [...Object.keys(endpoint.query.shape), "__proto__", "x", "key"];
  const changed = query.map(([name, value]) => [known[name % known.length] ?? "x", value] as const);
  const names = new Set(changed.map(([name]) => name));
  const kept = Object.entries(sample.query).filter(([name]) => !names.has(name));
  const pairs = [
    ...kept.map(([name, value]) => `${name}=${encoded(value)}`),
    ...changed.map((pair) => pair.join("=")),
  ];
  return `${path}?${pairs.join("&")}`;
}

function contentOf(sample: Sample, { body }: Drawn): Uint8Array {
  const whole = sample.body ?? {};
  if (body === null) return Buffer.from(JSON.stringify(whole));
  if ("bytes" in body) return body.bytes;
  const places = findPaths(whole);
  return Buffer.from(replaceAt(whole, places[body.place % places.length] ?? [], body.json));
}

async function ask(endpoint: Endpoint, sample: Sample, draw: Drawn): Promise<Answer> {
  const own = world.keys[endpoint.keys[0] ?? "management"];
  const other = world.keys[endpoint.keys[0] === "management" ? "ingest" : "management"];
  const key = { own, other, none: null, unknown: `pt_mgmt_${"0".repeat(40)}` }[draw.key];
  const method = draw.method ?? endpoint.method;
  const inQuery = endpoint.credential === "query";
  const url = urlOf(endpoint, sample, draw);
  const content = contentOf(sample, draw);
  const hasBody = method !== "GET" && method !== "HEAD";
  return await send(service.app, inQuery && key !== null ? `${url}&key=${key}` : url, {
    method,
    headers: {
      ...(key === null || inQuery ? {} : { authorization: `Bearer ${key}` }),
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...(hasBody && draw.gzip ? { "content-encoding": "gzip" } : {}),
      ...draw.headers,
    },
    ...(hasBody
      ? { body: (draw.gzip ? gzipSync(content) : content) as NonNullable<RequestInit["body"]> }
      : {}),
  });
}

/** Throws unless the response is possible for this endpoint or for a changed path. */
function expectDeclared(endpoint: Endpoint, draw: Drawn, answer: Answer): void {
  expect(answer.status, answer.text).toBeLessThan(500);
  expect(answer.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (answer.status === 204 || draw.method === "HEAD") {
    expect(answer.text).toBe("");
    return;
  }
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  if (answer.status >= 400) {
    expect(errorBody.safeParse(answer.json).error, answer.text).toBeUndefined();
    const codes = [...commonErrors, ...endpoint.errors, "not_found", "method_not_allowed"] as const;
    const statuses = codes.map((code) => httpErrors[code].status);
    if (draw.method === null && draw.params.every((value) => value === undefined))
      expect(statuses).toContain(answer.status);
  } else if (
    draw.method === null &&
    draw.params.every((value) => value === undefined) &&
    draw.ids.length === 0
  ) {
    expect([endpoint.status, ...endpoint.otherStatuses]).toContain(answer.status);
    expect(toStrict(endpoint.response).safeParse(answer.json).error).toBeUndefined();
  }
}

it(`returns declared responses to ${REQUESTS} requests (seed ${seed})`, async () => {
  const endpoints = eachEndpoint();
  const before = Object.getOwnPropertyNames(Object.prototype);
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(drawn, async (draw) => {
      const [name, endpoint] = endpoints[draw.at] ?? endpoints[0] ?? [];
      if (!name || !endpoint) throw new Error("There are no endpoints");
      const answer = await ask(endpoint, samples[name](world), draw);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expectDeclared(endpoint, draw, answer);
      expect(service.faults).toEqual([]);
    }),
    { numRuns: REQUESTS },
  );
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  // If all requests were rejected early, the test would not reach the handlers.
  for (const status of [200, 202, 400, 401, 403, 404, 405, 415])
    expect([status, statuses.get(status) ?? 0]).not.toEqual([status, 0]);
  expect((await service.get(`/api/v1/games/${world.slug}`)).status).toBe(200);
});

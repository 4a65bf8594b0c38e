/** Traces of a server process, as a collector receives them. */
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { isTraced } from "../../../src/cli/commands/server/observe.ts";
import { parseTraceparent } from "../../../src/server/observability/traces.ts";
import { freshFolder } from "../../harness.ts";
import { end, endAll, type RealServer, serve } from "../real-server.ts";
import { createEvents } from "../telemetry-helpers.ts";
import { type Receiver, startReceiver } from "./otlp-receiver.ts";

const TRACE = "11111111111111111111111111111111";
const SENDER = "2222222222222222";

let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  await endAll();
  receiver.close();
});

const start = (env: Record<string, string>) => serve(freshFolder(), "traced", { env });

function send(server: RealServer, body: object, headers: Record<string, string> = {}) {
  return fetch(`${server.url}/api/telemetry`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.ingestKey}`,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

const named = (name: string) => receiver.spans.filter((span) => span.name === name);

it("records a request as a span of the sender's trace, with a child span for its commit", async () => {
  const server = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_SERVICE_NAME: "studio-service",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  const traceparent = `00-${TRACE}-${SENDER}-01`;
  const events = createEvents(["a"]);
  expect((await send(server, { gameId: "maze", events }, { traceparent })).status).toBe(202);
  const secret = { authorization: `Bearer ${server.managementKey}` };
  const answer = await fetch(`${server.url}/api/v1/games/none?q=of-the-query`, { headers: secret });
  await fetch(`${server.url}/api/v1/games/${server.managementKey}?key=${server.ingestKey}`);
  await fetch(`${server.url}/nowhere/at/all`);
  await fetch(`${server.url}/readyz`);
  await end(server.process, "SIGTERM");

  expect(receiver.paths[0]).toBe("/v1/traces");
  expect(receiver.resource).toMatchObject({
    "service.name": "studio-service",
    "deployment.environment.name": "test",
  });
  const [post] = named("POST /api/telemetry");
  expect(post).toMatchObject({ kind: 2, traceId: TRACE, parentSpanId: SENDER, status: 0 });
  expect(post?.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/api/telemetry",
    "url.path": "/api/telemetry",
    "url.scheme": "http",
    "http.response.status_code": 202,
    "client.address": expect.stringMatching(/^hash_[0-9a-f]{32}$/),
  });
  expect(named("ingest commit")).toMatchObject([{ kind: 1, traceId: TRACE, parentSpanId: post?.spanId }]);
  const [get, refused] = named("GET /api/v1/games/{id}");
  expect(get?.traceId).not.toBe(TRACE);
  expect(get?.parentSpanId ?? "").toBe("");
  expect(get?.attributes).toMatchObject({
    "url.path": "/api/v1/games/none",
    "http.response.status_code": 404,
    "playtest.request.id": answer.headers.get("x-request-id"),
  });
  expect(refused?.attributes["url.path"]).toBe("/api/v1/games/[key]");
  expect(named("GET").map((span) => span.attributes["url.path"])).toEqual([
    expect.stringMatching(/^(?:\/hash_[0-9a-f]{32}){3}$/),
  ]);
  expect(named("GET /readyz")).toEqual([]);
  const all = receiver.bodies.join("\n");
  for (const hidden of [server.managementKey ?? "?", server.ingestKey ?? "?", "of-the-query"])
    expect(all).not.toContain(hidden);
});

it.each([
  ["without an endpoint", {}],
  ["disabled", { OTEL_SDK_DISABLED: "true" }],
  ["without an exporter", { OTEL_TRACES_EXPORTER: "none" }],
])("sends nothing %s", async (condition, env) => {
  const address = condition === "without an endpoint" ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  const server = await start({ ...address, ...env });
  await fetch(`${server.url}/api/v1/games`);
  await end(server.process, "SIGTERM");
  expect(receiver.paths).toEqual([]);
});

it("uses the traces endpoint unchanged", async () => {
  const server = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/own/path`,
  });
  await fetch(`${server.url}/api/v1/games`);
  await end(server.process, "SIGTERM");
  expect(receiver.paths).toEqual(["/own/path"]);
  expect(receiver.resource["service.name"]).toBe("playtest");
  expect(named("GET /api/v1/games")).toHaveLength(1);
});

it("stops and reports an error if the collector never responds", async () => {
  const mute = await startReceiver({ mute: true });
  const server = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: mute.url });
  await fetch(`${server.url}/api/v1/games`);
  await end(server.process, "SIGTERM");
  expect(mute.paths).toEqual(["/v1/traces"]);
  expect(server.process.exitCode).not.toBeNull();
  expect(server.stderr()).toContain("trace export during shutdown");
  mute.close();
});

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c" }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c" }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_SDK_DISABLED: "TRUE" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_SDK_DISABLED: "false" }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_TRACES_EXPORTER: "none" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_TRACES_EXPORTER: "otlp" }, true],
])("with %j, tracing is enabled: %s", (env, traced) => {
  expect(isTraced(env)).toBe(traced);
});

describe("the traceparent header", () => {
  const read = (traceparent: string, tracestate?: string) =>
    parseTraceparent((name) => (name === "traceparent" ? traceparent : (tracestate ?? null)));

  it("is parsed with its flags and state", () => {
    expect(read(`00-${TRACE}-${SENDER}-00`)).toMatchObject({ traceId: TRACE, spanId: SENDER, traceFlags: 0 });
    expect(read(`00-${TRACE}-${SENDER}-03`, "a=1")?.traceState?.get("a")).toBe("1");
    expect(read(`00-${TRACE}-${SENDER}-03`)?.traceFlags).toBe(1);
    expect(read(`01-${TRACE}-${SENDER}-01-later`)).toMatchObject({ traceId: TRACE });
  });

  it.each([
    ["no header", ""],
    ["another form", "b3"],
    ["version ff", `ff-${TRACE}-${SENDER}-01`],
    ["more than version 00 has", `00-${TRACE}-${SENDER}-01-more`],
    ["a trace of zeros", `00-${"0".repeat(32)}-${SENDER}-01`],
    ["a sender of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["capitals", `00-${"A".repeat(32)}-${SENDER}-01`],
    ["one digit too few", `00-${TRACE.slice(1)}-${SENDER}-01`],
  ])("begins a new trace for %s", (_what, traceparent) => {
    expect(read(traceparent)).toBeNull();
  });
});

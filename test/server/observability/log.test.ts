/** The JSON log: one line per request, faults with their stack, and no keys. */
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ListeningServer, listen } from "../../../src/server/http/listen.ts";
import { type LogLevel, startLog } from "../../../src/server/observability/log.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents } from "../telemetry-helpers.ts";

type Line = Readonly<Record<string, unknown>>;

let written: string[];
let service: TestService;
let listening: ListeningServer;

async function start(level: LogLevel) {
  written = [];
  const log = startLog({ level, now: () => NOW, write: (line) => void written.push(line) });
  service = await startTestService({
    dependencies: { now: () => NOW, observer: log.observer, report: log.report },
  });
  await service.addGame("maze");
  listening = await listen(service.app, { host: "127.0.0.1", port: 0 });
}

beforeEach(() => start("info"));

afterEach(async () => {
  await listening.close();
  await service.stop();
});

const readStack = (line: Line | undefined) => JSON.parse(JSON.stringify(line)).fault.stack as string;

const lines = () => written.map((line) => JSON.parse(line) as Line);

/** Sends raw bytes, and waits for the end of the response. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(listening.port, "127.0.0.1", () => socket.end(text, "latin1"));
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
}

it("writes one line with all details for a request", async () => {
  const response = await fetch(`${listening.url}/api/v1/games/maze?secret=of-the-query`, {
    headers: { authorization: `Bearer ${service.keys.management}` },
  });
  const body = await response.text();
  expect(written).toHaveLength(1);
  expect(lines()).toEqual([
    {
      level: "info",
      time: "2026-03-01T12:00:00.000Z",
      event: "request",
      requestId: response.headers.get("x-request-id"),
      method: "GET",
      endpoint: "getGame",
      path: "/api/v1/games/maze",
      status: 200,
      ms: expect.any(Number),
      bytes: Buffer.byteLength(body),
      address: expect.stringMatching(/^hash_[0-9a-f]{32}$/),
    },
  ]);
  expect(written[0]).not.toContain("of-the-query");
});

it("writes one line for each attempt to send to a webhook", () => {
  const facts = { webhookId: "whk_1", deliveryId: "evt_1", type: "bug-report", attempt: 2, ms: 5 };
  const { delivery } = service.service.observer;
  delivery({
    ...facts,
    result: "retry",
    status: 500,
    failure: "server_error",
    error: "The receiver returned status 500",
  });
  delivery({ ...facts, result: "delivered", status: 204, failure: null, error: null });
  expect(lines()).toEqual([
    {
      ...{ level: "warn", time: "2026-03-01T12:00:00.000Z", event: "webhook", ...facts },
      ...{ result: "retry", status: 500, failure: "server_error", error: "The receiver returned status 500" },
    },
    {
      ...{ level: "info", time: "2026-03-01T12:00:00.000Z", event: "webhook", ...facts },
      ...{ result: "delivered", status: 204 },
    },
  ]);
});

it("writes one line for each failed request to an AI model", () => {
  const failure = { accountId: "user_1", reason: "unavailable", status: 401 } as const;
  service.service.observer.modelFailed({ ...failure, error: "The model service returned status 401" });
  expect(lines()).toEqual([
    {
      ...{ level: "warn", time: "2026-03-01T12:00:00.000Z", event: "model", ...failure },
      error: "The model service returned status 401",
    },
  ]);
});

describe("a request's id", () => {
  const sendRequestId = async (given: string) => {
    const { headers } = await service.get("/api/v1/games", { headers: { "x-request-id": given } });
    expect(lines().at(-1)?.requestId).toBe(headers.get("x-request-id"));
    return headers.get("x-request-id");
  };

  it("is that of the client if it is safe", async () => {
    expect(await sendRequestId("trace-1.a_B")).toBe("trace-1.a_B");
  });

  it("is a new one if that of the client is unsafe", async () => {
    for (const given of ["a b", "x".repeat(129), "<script>", service.keys.ingest])
      expect(await sendRequestId(given)).toMatch(/^[0-9a-f-]{36}$/);
  });
});

it("does not let a path forge a line, and shows control characters percent-encoded", async () => {
  await sendRaw('GET /api/v1/games/%0A%1b[31m"{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(lines()).toHaveLength(1);
  expect(written[0]).not.toMatch(/[\u0000-\u001f]/);
});

it("shows the hash of the address that a trusted proxy reports", async () => {
  const trusting = await startTestService({
    trustProxy: true,
    dependencies: { observer: service.service.observer },
  });
  const forwarded = { "x-forwarded-for": `9.9.9.9, ${trusting.keys.management}` };
  await trusting.get("/api/v1/games", { headers: forwarded });
  const hash = /^hash_[0-9a-f]{32}$/;
  expect(lines().at(-1)?.address).toMatch(hash);
  await trusting.get("/api/v1/games", { headers: { "x-forwarded-for": "1.1.1.1, 8.8.8.8" } });
  const [first, second] = lines().slice(-2);
  expect(second?.address).toMatch(hash);
  expect(second?.address).not.toBe(first?.address);
  await trusting.stop();
});

it("logs a fault with its stack and the id of its request", async () => {
  await service.service.store.close();
  const response = await service.get("/api/v1/games");
  const id = response.headers.get("x-request-id");
  expect(response.status).toBeGreaterThanOrEqual(500);
  const [fault, request] = lines().slice(-2);
  expect(request).toMatchObject({ level: "error", event: "request", status: response.status, requestId: id });
  expect(fault).toMatchObject({ level: "error", event: "fault", requestId: id });
  expect(readStack(fault)).toMatch(/\n {4}at /);
});

it("logs the causes of a fault but not its other fields, and redacts keys", async () => {
  const key = service.keys.management;
  const cause = new Error(`of ${key}`);
  const error = Object.assign(new Error("outer", { cause }), { headers: { authorization: key } });
  service.service.report("GET /x", error, "id-1");
  const [line] = lines().slice(-1);
  expect(line).toMatchObject({ event: "fault", requestId: "id-1", message: "GET /x" });
  expect(readStack(line)).toMatch(/caused by Error: of \[key\]/);
  expect(written.join("\n")).not.toContain(key);
});

it("logs successful probes only at level debug", async () => {
  for (const path of ["/healthz", "/readyz"]) await service.get(path, { key: null });
  expect(lines()).toEqual([]);
  service.drain();
  await service.get("/readyz", { key: null });
  expect(lines()).toMatchObject([{ level: "warn", endpoint: "readyz", status: 503 }]);
  await listening.close();
  await service.stop();
  await start("debug");
  await service.get("/healthz", { key: null });
  expect(lines()).toMatchObject([{ level: "debug", endpoint: "healthz" }]);
});

it("redacts keys in every part of a request", async () => {
  const other = await service.addAccount("other");
  const unknown = `pt_mgmt_${"7".repeat(40)}`;
  const keys = [...Object.values(service.keys), ...Object.values(other.keys), unknown];
  for (const key of keys) {
    const encoded = key.replaceAll("_", "%5F");
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(listening.url + path, { headers }).then((response) => response.text());
    await get("/api/v1/games", { authorization: `Bearer ${key}` });
    await get("/api/v1/games", { authorization: key });
    await get(`/api/v1/games?key=${key}`);
    await get(`/api/v1/games/${key}?q=${key}`, { authorization: `bearer ${key}`, "x-request-id": key });
    await get(`/api/v1/games/${encoded}`, { referer: `http://x/${key}`, "user-agent": key });
    await get(`/${key}/`);
    await get("/mcp", { authorization: `Bearer ${key}` });
    for (const path of [`/api/webhooks/chat-thread?key=${key}`, `/api/webhooks/${key}`, "/api/telemetry"]) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      await fetch(listening.url + path, { method: "POST", headers, body: JSON.stringify({ key }) });
    }
    await sendRaw(`GET http://${key}/${key} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await sendRaw(`GET /${key} HTTP/1.1\r\nHost: ${key}\r\nConnection: close\r\n\r\n`);
    await sendRaw(`GET /?key=${key} NONSENSE\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await sendRaw(`${key}\r\n\r\n`);
  }
  await service.post("/api/telemetry", { gameId: "maze", events: createEvents(["a"]) });
  const all = written.join("\n");
  expect(lines().length).toBeGreaterThan(keys.length * 9);
  for (const key of keys) {
    expect(all).not.toContain(key);
    expect(all).not.toContain(key.slice(-20));
  }
});

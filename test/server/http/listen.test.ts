/** The server on a real socket: invalid HTTP, broken bodies, and stopping with requests in progress. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  describeListenError,
  formatLocalUrl,
  type ListeningServer,
  listen,
} from "../../../src/server/http/listen.ts";
import { HOUR_MS } from "../../../src/shared/time-units.ts";
import { startTestService, type TestService } from "../../harness.ts";
import { createEvents } from "../telemetry-helpers.ts";

let service: TestService;
let listening: ListeningServer;

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
  listening = await listen(service.app, { host: "127.0.0.1", port: 0 });
});

afterEach(async () => {
  await listening.close();
  await service.stop();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/**
 * Sends bytes unchanged, and returns everything that is received until the server closes the connection. With
 * `endsAtOnce`, the client ends its side after the last byte. Node then drops requests that have no response yet.
 */
function sendRaw(text: string, endsAtOnce = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(listening.port, "127.0.0.1", () => {
      socket.write(text, "latin1");
      if (endsAtOnce) socket.end();
    });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
}

const ask = (target: string, more = "") =>
  sendRaw(
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.keys.management}\r\n${more}Connection: close\r\n\r\n`,
  );
const statusOf = (answer: string) => Number(answer.split(" ")[1]);

it("returns the responses of the app", async () => {
  for (const path of [
    "/api/v1/games",
    "/api/v1/games/maze",
    "/api/v1/games/none",
    "/api/v1/sessions?limit=0",
  ]) {
    const response = await fetch(listening.url + path, { headers: bearer(service.keys.management) });
    const answer = await service.get(path);
    expect([response.status, await response.text()]).toEqual([answer.status, answer.text]);
    expect(response.headers.get("content-type")).toBe(answer.headers.get("content-type"));
  }
  const head = await fetch(`${listening.url}/api/v1/games`, {
    method: "HEAD",
    headers: bearer(service.keys.management),
  });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

it.each([
  ["port 1 is in use", "EADDRINUSE"],
  ["unknown host name", "ENOTFOUND"],
  ["unknown host name", "EAI_AGAIN"],
  ["this machine does not have this address", "EADDRNOTAVAIL"],
  ["other", "EINVAL"],
])("explains that %s (%s)", (reason, code) => {
  const error = Object.assign(new Error("other"), { code });
  expect(describeListenError(error, 1)).toEqual({ reason, hint: expect.stringContaining("--") });
});

describe("paths on the wire", () => {
  it.each([
    ["/api/v1/games/maze", 200],
    ["/api/v1/games/%6Daze", 200],
    ["/api/v1/games/%", 400],
    ["/api/v1/games/%00", 400],
    ["/api/v1/games/%ff", 400],
    ["/api/v1/games/caf%C3%A9", 404],
    ["/api/v1/games/maze/", 404],
    ["/api/v1/games/a%2F..%2Fb", 404],
    ["/api/v1//games", 404],
    ["/api/v1/games?limit=%", 200],
    ["/api/v1/sessions?limit=%", 400],
    ["/api/v1/sessions?q=%F0%9F%8E%AE", 200],
    ["http://localhost/api/v1/games", 200],
  ])("%s gets %d", async (target, status) => {
    expect(statusOf(await ask(target))).toBe(status);
    expect(service.faults).toEqual([]);
  });

  it.each([
    "/api/v1/games/caf\u00e9",
    "/api/v1/games/a b",
    "/api/v1/games/\u0001",
    "*",
    "nonsense",
    "/api/v1/games/a\\b",
    '/api/v1/games/<>"{}|^`',
  ])("%j is not reported as an error of the service", async (target) => {
    const status = statusOf(await ask(target));
    expect([400, 404]).toContain(status);
    expect(service.faults).toEqual([]);
  });

  it("rejects an unknown or missing Host", async () => {
    expect(
      statusOf(
        await sendRaw("GET /api/v1/games HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
      ),
    ).toBe(421);
    expect(statusOf(await sendRaw("GET /api/v1/games HTTP/1.1\r\nConnection: close\r\n\r\n"))).toBe(400);
    expect(
      statusOf(
        await sendRaw(
          "GET http://evil.example/api/v1/games HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        ),
      ),
    ).toBe(421);
  });
});

describe("invalid HTTP", () => {
  const huge = `/${"a".repeat(40_000)}`;

  it.each([
    ["HTTP/1.0 without a Host", "GET /api/v1/games HTTP/1.0\r\n\r\n", 400],
    ["no Host", "GET /api/v1/games HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["an empty Host", "GET /api/v1/games HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n", 400],
    ["a Host of two words", "GET /api/v1/games HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", 400],
    ["the target *", "GET * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 400],
    ["half an address", "GET http://[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 400],
    ["a raw letter", "GET /api/v1/games/caf\u00e9 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
    ["nonsense", "nonsense\r\n\r\n", 400],
    ["a huge path", `GET ${huge} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
  ])("rejects %s with a JSON error body", async (_what, bytes, status) => {
    const answer = await sendRaw(bytes);
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    expect(statusOf(answer)).toBe(status);
    expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(/^[A-Z]/) });
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8\r$/im);
    expect(head).toMatch(/^x-request-id: \S+\r$/im);
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head.toLowerCase()).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(service.faults).toEqual([]);
  });

  it("ignores an unknown Expect header", async () => {
    expect(statusOf(await ask("/api/v1/games", "Expect: wonders\r\n"))).toBe(200);
  });

  it("closes the connection even if the client keeps its side open", async () => {
    // Otherwise, stopping would wait longer than the timeout of the test.
    const held = await listen(service.app, { host: "127.0.0.1", port: 0, drainMs: 600_000 });
    const socket = connect({ port: held.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.resume();
    socket.write("nonsense\r\n\r\n");
    await once(socket, "end");
    await held.close();
    socket.destroy();
  });

  it("does not affect other connections", async () => {
    await Promise.all([sendRaw("nonsense\r\n\r\n", true), sendRaw("", true), sendRaw("GET", true)]);
    expect(statusOf(await ask("/api/v1/games"))).toBe(200);
  });
});

describe("a body", () => {
  const post = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}) =>
    fetch(`${listening.url}/api/telemetry`, {
      method: "POST",
      headers: { ...bearer(service.keys.ingest), "content-type": "application/json", ...headers },
      body,
      ...(body instanceof ReadableStream ? { duplex: "half" as const } : {}),
    });
  const chunked = (text: string, times: number) => {
    let left = times;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(Buffer.from(text));
        else controller.close();
      },
    });
  };

  it("is accepted with and without Content-Length", async () => {
    const body = JSON.stringify({ gameId: "maze", clientSessionId: "c", events: createEvents(["a", "b"]) });
    expect(await (await post(body)).json()).toMatchObject({ accepted: 2 });
    expect(await (await post(chunked(body, 1))).json()).toMatchObject({ duplicates: 2 });
  });

  it("that is too large gets a 413 while it is still being sent", async () => {
    const body = " ".repeat(8 * 1024 * 1024);
    expect((await post(body)).status).toBe(413);
    expect((await post(chunked(" ".repeat(64 * 1024), 128))).status).toBe(413);
    expect((await post("{}")).status).toBe(400);
    expect(service.faults).toEqual([]);
  });

  it("that is incomplete stores nothing and does not affect other requests", async () => {
    const head = `POST /api/telemetry HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.keys.ingest}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
    await sendRaw(`${head}{"gameId":"maze","events":[]`, true).catch(() => "");
    expect((await service.get("/api/v1/sessions")).json.total).toBe(0);
    expect((await post(JSON.stringify({ gameId: "maze", events: [] }))).status).toBe(202);
  });
});

it("finishes requests in progress when it stops, and accepts no new ones", async () => {
  const bodies = Array.from({ length: 20 }, (_, n) =>
    JSON.stringify({ gameId: "maze", clientSessionId: `c${n}`, events: createEvents(["a"]) }),
  );
  const posts = bodies.map((body) =>
    fetch(`${listening.url}/api/telemetry`, {
      method: "POST",
      headers: { ...bearer(service.keys.ingest), "content-type": "application/json" },
      body,
    }),
  );
  const first = await Promise.race(posts);
  expect(first.status).toBe(202);
  const closed = listening.close();
  const settled = await Promise.allSettled(posts);
  await closed;
  const answered = settled.filter((one) => one.status === "fulfilled");
  for (const one of answered) expect(one.value.status).toBe(202);
  expect((await service.get("/api/v1/sessions")).json.total).toBe(answered.length);
  await expect(fetch(`${listening.url}/api/v1/games`)).rejects.toThrow();
});

describe("stopping with open connections", () => {
  const half = () =>
    `POST /api/telemetry HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.keys.ingest}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;

  it.each([
    ["a connection without any request", () => "", HOUR_MS],
    ["a request with an incomplete body", half, 300],
  ])("is not blocked by %s", async (_how, sent, drainMs) => {
    // No timeout of the server ends a connection during the test.
    const timeouts = { headersMs: HOUR_MS, requestMs: HOUR_MS, idleMs: HOUR_MS };
    const held = await listen(service.app, { host: "127.0.0.1", port: 0, drainMs, timeouts });
    const socket = connect(held.port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(sent());
    await fetch(held.url);
    await expect(held.close()).resolves.toBeUndefined();
  });
});

it("throws an error that names a port in use", async () => {
  await expect(listen(service.app, { host: "127.0.0.1", port: listening.port })).rejects.toMatchObject({
    code: "unusable",
    message: expect.stringContaining(`port ${listening.port} is in use`),
  });
});

it.each([
  ["0.0.0.0", "0.0.0.0", "http://127.0.0.1:4400"],
  ["0", "0.0.0.0", "http://127.0.0.1:4400"],
  ["::", "::", "http://[::1]:4400"],
  ["::1", "::1", "http://[::1]:4400"],
  ["localhost", "127.0.0.1", "http://localhost:4400"],
  ["192.168.1.5", "192.168.1.5", "http://192.168.1.5:4400"],
])("has a URL for programs on this machine if it listens on %s", (host, address, url) => {
  expect(formatLocalUrl(host, { address, port: 4400 })).toBe(url);
});

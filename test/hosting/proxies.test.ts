/** The service behind the sample sites of nginx and Caddy, over TLS. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SELF_SIGNED } from "../client/sockets.ts";
import { freshFolder } from "../harness.ts";
import { requireProgram } from "../require-program.ts";
import { endAll, type RealServer, serve } from "../server/real-server.ts";
import { HOST, type RunningProxy, startCaddy, startNginx } from "./proxies.ts";

interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The address of the client. All addresses of 127.0.0.0/8 belong to this machine. */
  readonly from?: string;
  readonly agent?: Agent;
}
interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const proxies = [
  ["nginx", "nginx-light", startNginx],
  ["caddy", "caddy", startCaddy],
] as const;

describe.each(proxies)("%s", (program, debianPackage, start) => {
  let server: RealServer;
  let proxy: RunningProxy;

  beforeAll(async () => {
    await requireProgram(program, debianPackage);
    server = await serve(freshFolder(), "service", {
      // The last --limits counts.
      flags: [
        ...["--limits", "on", "--telemetry-limit", "20", "--metrics"],
        ...["--trust-proxy", "--host-name", HOST, "--log-format", "json"],
      ],
    });
    proxy = await start(Number(new URL(server.url).port));
  });
  afterAll(async () => {
    await proxy?.stop();
    await endAll();
  });

  /** Sends a request to the public name, and verifies the certificate. */
  async function open(path: string, options: SendOptions = {}): Promise<IncomingMessage> {
    const { method = "GET", headers = {}, body, from = "127.0.0.1", agent } = options;
    const sent = request({
      host: "127.0.0.1",
      port: proxy.port,
      path,
      method,
      headers: { host: HOST, ...headers },
      localAddress: from,
      servername: HOST,
      ca: readFileSync(SELF_SIGNED),
      // The certificate of the test is for localhost.
      checkServerIdentity: () => undefined,
      ...(agent ? { agent } : { agent: false }),
    });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    sent.end(body);
    const [response] = await answered;
    return response;
  }

  async function send(path: string, options: SendOptions = {}): Promise<Answer> {
    const response = await open(path, options);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: Buffer.concat(chunks).toString(),
    };
  }

  const ingest = () => ({ authorization: `Bearer ${server.ingestKey}`, "content-type": "application/json" });
  const management = () => ({ authorization: `Bearer ${server.managementKey}` });
  const createBody = (session: string, events: readonly object[]) =>
    JSON.stringify({ gameId: "maze", clientSessionId: session, events });
  const createEvents = (session: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      id: `${session}-${at}`,
      name: "jump",
      timestamp: Date.now(),
      data: { padding: "x".repeat(400) },
    }));
  const sendEvents = (session: string, options: SendOptions = {}) =>
    send("/api/telemetry", {
      method: "POST",
      headers: ingest(),
      body: createBody(session, createEvents(session, 1)),
      ...options,
    });
  /** The log lines of requests, with hashes of addresses. */
  const loggedRequests = () =>
    server
      .stderr()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { requestId?: string; address?: string; event: string })
      .filter(({ event }) => event === "request");

  test("serves telemetry and the API over TLS", async () => {
    expect((await sendEvents("first", { from: "127.0.1.1" })).status).toBe(202);
    const sessions = await send("/api/v1/sessions", { headers: management(), from: "127.0.1.1" });
    expect(sessions.status).toBe(200);
    expect(JSON.parse(sessions.text).total).toBeGreaterThan(0);
    expect((await send("/healthz")).text).toBe('{"status":"ok"}');
    expect((await send("/openapi.json")).status).toBe(200);
  });

  test.each([
    "/metrics",
    "/metrics/",
    "/metrics?x=1",
    "//metrics",
    "/./metrics",
    "/api/../metrics",
    "/api/..%2fmetrics",
    "/%6detrics",
    "/METRICS",
    "/metrics%2f",
    "/metrics;x",
    "/metrics%00",
    "/metrics#x",
    "/metrics%3f",
    "/\\metrics",
  ])("does not reveal metrics at %s", async (path) => {
    for (const method of ["GET", "HEAD", "POST"]) {
      const { status, text, headers } = await send(path, { method });
      expect([path, status >= 400, text.includes("playtest_")]).toEqual([path, true, false]);
      expect(String(headers["content-type"])).not.toContain("version=0.0.4");
    }
  });

  test("metrics are available without the proxy", async () => {
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain("playtest_events_total");
  });

  test("passes on the address of the client, which the client cannot choose", async () => {
    const readAddress = async (from: string, forged: string) => {
      const forging = { ...ingest(), "x-forwarded-for": forged, forwarded: `for=${forged}` };
      const { headers } = await sendEvents("forged", { from, headers: forging });
      const id = headers["x-request-id"];
      expect(id).toMatch(/^[\w-]{16,}$/);
      const findLine = () => loggedRequests().find(({ requestId }) => requestId === id);
      await expect.poll(findLine).toBeDefined();
      return findLine()?.address;
    };
    const address = await readAddress("127.0.2.7", "203.0.113.9");
    expect(await readAddress("127.0.2.7", "203.0.113.10")).toBe(address);
    expect(await readAddress("127.0.2.8", "203.0.113.9")).not.toBe(address);
  });

  test("limits each client, not the proxy", async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent < 30; sent += 1)
      statuses.push((await sendEvents(`greedy-${sent}`, { from: "127.0.3.1" })).status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(20);
    expect(statuses.slice(20)).toEqual(Array.from({ length: 10 }, () => 429));
    expect((await sendEvents("modest", { from: "127.0.3.2" })).status).toBe(202);
  });

  test("streams the live tail without a buffer", async () => {
    const response = await open("/api/v1/telemetry/tail?after=now", {
      headers: { ...management(), accept: "text/event-stream" },
      from: "127.0.4.1",
    });
    expect(response.headers["content-type"]).toContain("text/event-stream");
    let received = "";
    response.on("data", (chunk: Buffer) => {
      received += chunk.toString();
    });
    await expect.poll(() => received).toContain(": connected");
    for (const session of ["tail-one", "tail-two", "tail-three"]) {
      await sendEvents(session, { from: "127.0.4.1" });
      // Each event arrives before the next one is sent, while the response is still open.
      await expect.poll(() => received).toContain(`${session}-0`);
    }
    expect(response.complete).toBe(false);
    response.destroy();
  });

  test("accepts compressed bodies up to the limit of the service", async () => {
    const events = createEvents("large", 2000);
    const body = createBody("large", events);
    expect(body.length).toBeGreaterThan(900_000);
    expect(body.length).toBeLessThan(1024 * 1024);
    const headers = { ...ingest(), "content-encoding": "gzip" };
    const zipped = await sendEvents("large", { body: gzipSync(body), headers, from: "127.0.5.1" });
    expect([zipped.status, JSON.parse(zipped.text).accepted]).toEqual([202, 2000]);
    const plain = await sendEvents("large", { body, from: "127.0.5.1" });
    expect([plain.status, JSON.parse(plain.text).duplicates]).toEqual([202, 2000]);
    const chunked = { ...ingest(), "transfer-encoding": "chunked" };
    expect((await sendEvents("large", { body, headers: chunked, from: "127.0.5.1" })).status).toBe(202);
  });

  test("the service refuses a body above its limit with its own error", async () => {
    const body = createBody("huge", createEvents("huge", 2800));
    expect(body.length).toBeGreaterThan(1024 * 1024);
    const { status, text } = await sendEvents("huge", { body, from: "127.0.5.2" });
    expect([status, JSON.parse(text).error]).toEqual([413, "The body must be at most 1048576 bytes"]);
  });

  test("the proxy refuses a body far above the limit", async () => {
    const body = Buffer.alloc(3 * 1024 * 1024, "x");
    const refused = await sendEvents("endless", { body, from: "127.0.5.3" }).then(
      ({ status }) => status,
      () => 413,
    );
    expect(refused).toBe(413);
  });

  test("keeps connections open, to the client and to the service", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let sent = 0; sent < 40; sent += 1) {
      const response = await open("/healthz", { agent, from: "127.0.6.1" });
      ports.add(response.socket.localPort);
      expect([response.statusCode, response.httpVersion]).toEqual([200, "1.1"]);
      response.resume();
      await once(response, "end");
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  test("refuses another host name", async () => {
    const { status, text } = await send("/api/v1/games", {
      headers: { ...management(), host: "evil.example" },
    }).catch(() => ({ status: 0, text: "" }));
    // nginx passes the name on, and the service refuses it. Caddy has no such site.
    expect(status === 421 || text === "").toBe(true);
  });
});

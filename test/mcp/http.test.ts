/** The surface at /mcp of a real server: keys, hosts, origins, sessions, many calls at once. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { IDLE_MS, MAX_CALLS, MAX_SESSIONS } from "../../src/mcp/sessions.ts";
import { issueKeys } from "../../src/server/accounts/accounts.ts";
import { type ListeningServer, listen } from "../../src/server/http/listen.ts";
import { startTestService, type TestService } from "../harness.ts";
import { makeWorld, type World } from "../server/samples.ts";
import { callTool, closing, connectHttp, textOf } from "./connect.ts";

let service: TestService;
let world: World;
let listening: ListeningServer;
beforeEach(async () => {
  service = await startTestService();
  world = await makeWorld(service, service, "demo");
  listening = await listen(service.app, { host: "127.0.0.1", port: 0, drainMs: 2000 });
});
afterEach(async () => {
  await listening.close();
  await service.stop();
});

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } },
};

/** Sends one message by hand. */
async function post(headers: Record<string, string> = {}, body: unknown = initialize, method = "POST") {
  const response = await fetch(`${listening.url}/mcp`, {
    method,
    headers: {
      authorization: `Bearer ${service.keys.management}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...headers,
    },
    ...(method === "POST" ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("over HTTP", () => {
  test("lists and calls tools, reads resources, and asks for prompts with the caller's key", async () => {
    const { client, transport } = await connectHttp(listening.url, service.keys.management);
    expect(transport.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect((await client.listTools()).tools).toHaveLength(21);
    expect(textOf(await callTool(client, "get_game", { id: world.slug }))).toContain('slug: "demo-game"');
    expect((await client.listResources()).resources.length).toBeGreaterThan(3);
    expect(
      (await client.getPrompt({ name: "weekly_digest", arguments: { game: "g" } })).messages,
    ).toHaveLength(1);
    expect(service.faults).toEqual([]);
  });

  test("another account sees its own games alone", async () => {
    const other = await service.addAccount("other");
    const { client } = await connectHttp(listening.url, other.keys.management);
    const { structuredContent } = await callTool(client, "list_games");
    expect(structuredContent?.games).toEqual([]);
    expect((await callTool(client, "get_game", { id: world.slug })).isError).toBe(true);
  });

  test("answers hundreds of calls at once, each with its own", async () => {
    const { client } = await connectHttp(listening.url, service.keys.management);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        callTool(client, "get_game", { id: at % 2 ? world.slug : `no-${at}` }),
      ),
    );
    expect(
      results.map((result) => (result.isError ? /no-\d+/.exec(textOf(result))?.[0] : world.slug)),
    ).toEqual(Array.from({ length: 200 }, (_, at) => (at % 2 ? world.slug : `no-${at}`)));
  });

  test("writes where that is allowed alone", async () => {
    const writing = await startTestService({ mcp: { allowIngest: true } });
    await writing.addGame("ember");
    const own = await listen(writing.app, { host: "127.0.0.1", port: 0 });
    closing(async () => {
      await own.close();
      await writing.stop();
    });
    const { client } = await connectHttp(own.url, writing.keys.management);
    const result = await callTool(client, "ingest_discord_thread", { channel_id: "c", game: "ember" });
    expect(result.structuredContent).toEqual({ sessionsCreated: 1, messagesIngested: 0 });
    const reading = await connectHttp(listening.url, service.keys.management);
    await expect(
      callTool(reading.client, "ingest_discord_thread", { channel_id: "c", game: "g" }),
    ).rejects.toThrow("No tool");
  });
});

describe("is refused", () => {
  test.each([
    ["without a key", { authorization: "" }, 401, { error: "Missing bearer token" }],
    ["with an unknown key", { authorization: "Bearer pt_mgmt_x" }, 401, { error: "Invalid key" }],
    [
      "from a page of another origin",
      { origin: "https://evil.test" },
      403,
      { error: expect.stringContaining("origin") },
    ],
    ["from a page without an origin", { origin: "null" }, 403, { error: expect.stringContaining("origin") }],
    [
      "from a page whose name only looks like this machine",
      { origin: "http://localhost.evil.test" },
      403,
      { error: expect.anything() },
    ],
    ["in a session that is not there", { "mcp-session-id": "made-up" }, 404, { error: "Not found" }],
  ])("%s", async (_name, headers, status, body) => {
    const answer = await post(headers);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, body]);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("with an ingest key", async () => {
    const answer = await post({ authorization: `Bearer ${service.keys.ingest}` });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      403,
      { error: expect.any(String), requiredScope: "management" },
    ]);
  });

  test("under a host name that is not the server's", async () => {
    // fetch does not let a Host be set; the app sees the same.
    const request = new Request("http://evil.test/mcp", { method: "POST", headers: { host: "evil.test" } });
    expect((await service.app.fetch(request)).status).toBe(421);
  });

  test("by another method, telling which there are", async () => {
    for (const method of ["GET", "PUT", "OPTIONS"]) {
      const answer = await post({}, "", method);
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, DELETE"]);
    }
  });

  test.each([
    ["no JSON", "{", 400],
    ["no initialization", { jsonrpc: "2.0", id: 1, method: "tools/list" }, 400],
    ["more than a megabyte", `"${"x".repeat(1_100_000)}"`, 413],
  ])("with %s in it", async (_name, body, status) => {
    expect((await post({}, body)).status).toBe(status);
  });

  test("and a page of this machine is not", async () => {
    const answer = await post({ origin: "http://localhost:6274" });
    expect([answer.status, answer.text.includes('"serverInfo"')]).toEqual([200, true]);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("a session", () => {
  const begin = async () => (await post()).headers.get("mcp-session-id") ?? "";
  const ping = async (id: string, headers: Record<string, string> = {}) =>
    (await post({ "mcp-session-id": id, ...headers }, { jsonrpc: "2.0", id: 2, method: "ping" })).status;

  test("is its key's alone", async () => {
    const id = await begin();
    const other = await service.addAccount("other");
    expect(await ping(id)).toBe(200);
    expect(await ping(id, { authorization: `Bearer ${other.keys.management}` })).toBe(404);
  });

  test("ends with its key", async () => {
    const { client } = await connectHttp(listening.url, service.keys.management);
    await callTool(client, "list_games");
    await issueKeys(service.service.store.writeDb, service.service, service.accountId);
    await expect(callTool(client, "list_games")).rejects.toThrow(/Invalid key/);
  });

  test("ends when its client says so, and after half an hour unused", async () => {
    const [id, idle] = [await begin(), await begin()];
    expect((await post({ "mcp-session-id": id }, "", "DELETE")).status).toBe(200);
    expect(await ping(id)).toBe(404);
    service.clock.now += IDLE_MS - 1;
    expect(await ping(idle)).toBe(200);
    service.clock.now += IDLE_MS;
    expect(await ping(idle)).toBe(404);
  });

  test("gives way to newer ones of its key, the one unused for longest first", async () => {
    const first = await begin();
    const second = await begin();
    for (let at = 2; at < MAX_SESSIONS; at += 1) await begin();
    service.clock.now += 1;
    expect(await ping(first)).toBe(200);
    await begin();
    expect([await ping(first), await ping(second)]).toEqual([200, 404]);
  });
});

test("a client that cancels stops its call, and others go on", async () => {
  const tight = { points: 1, seconds: 30 };
  const limited = await startTestService({
    limits: { key: tight, ip: { points: 600, seconds: 60 }, telemetry: tight },
  });
  const own = await listen(limited.app, { host: "127.0.0.1", port: 0, drainMs: 100 });
  closing(async () => {
    await own.close();
    await limited.stop();
  });
  const { client } = await connectHttp(own.url, limited.keys.management);
  await callTool(client, "list_games");
  const controller = new AbortController();
  const told: string[] = [];
  const onprogress = ({ message = "" }) => {
    told.push(message);
    controller.abort("enough");
  };
  const call = client.callTool({ name: "list_games" }, undefined, { signal: controller.signal, onprogress });
  await expect(call).rejects.toThrow();
  expect(told).toEqual([expect.stringMatching(/^Rate limit exceeded: trying again in (30|29) s$/)]);
  expect((await client.listTools()).tools).toHaveLength(21);
});

describe("a call that waits for the rate limit", () => {
  /** A service that waits half a minute after one call, a session there, and how to post to it. */
  const waiting = async () => {
    const tight = { points: 1, seconds: 30 };
    const many = { points: 10_000, seconds: 60 };
    const limited = await startTestService({ limits: { key: tight, ip: many, telemetry: tight } });
    const own = await listen(limited.app, { host: "127.0.0.1", port: 0, drainMs: 100 });
    closing(async () => {
      await own.close();
      await limited.stop();
    });
    const { client, transport } = await connectHttp(own.url, limited.keys.management);
    await callTool(client, "list_games");
    const send = (body: object, signal?: AbortSignal) =>
      fetch(`${own.url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${limited.keys.management}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-session-id": transport.sessionId ?? "",
        },
        body: JSON.stringify(body),
        ...(signal ? { signal } : {}),
      });
    const call = (id: number) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "list_games" },
    });
    return { send, call };
  };

  test("ends its response when it is cancelled", async () => {
    const { send, call } = await waiting();
    const response = await send(call(900));
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 900 } };
    expect((await send(cancelled)).status).toBe(202);
    expect(await response.text()).toBe("");
  });

  test("is one of so many, and gives way when its client goes", async () => {
    const { send, call } = await waiting();
    const gone = new AbortController();
    // Kept, for a response that nobody holds is given up.
    const held: Response[] = [];
    for (let at = 0; at < MAX_CALLS; at += 1) held.push(await send(call(1000 + at), gone.signal));
    expect(await (await send(call(900))).text()).toContain("Too many calls are open");
    expect(held.map(({ status }) => status)).toEqual(Array(MAX_CALLS).fill(200));
    gone.abort();
    const ping = { jsonrpc: "2.0", id: 901, method: "ping" };
    await expect.poll(async () => (await send(ping)).text(), { timeout: 20_000 }).toContain('"result":{}');
  });
});

test("messages count against the address, and calls against the key", async () => {
  const limits = {
    key: { points: 2, seconds: 3600 },
    ip: { points: 12, seconds: 3600 },
    telemetry: { points: 1, seconds: 1 },
  };
  const limited = await startTestService({ limits });
  const own = await listen(limited.app, { host: "127.0.0.1", port: 0 });
  closing(async () => {
    await own.close();
    await limited.stop();
  });
  // Beginning takes three: to initialize, to say so, and to ask for a stream, which there is none of.
  const { client } = await connectHttp(own.url, limited.keys.management);
  for (let at = 0; at < 4; at += 1) await client.listTools();
  const calls = [];
  for (let at = 0; at < 3; at += 1) calls.push((await callTool(client, "list_games")).isError ?? false);
  expect(calls).toEqual([false, false, true]);
  await client.ping();
  await client.ping();
  await expect(client.ping()).rejects.toThrow(/Rate limit exceeded/);
});

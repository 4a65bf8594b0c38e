/** The chat-thread webhook: its window, its key, its body, and the sessions that it creates. */
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { ingestDiscordThread, MAX_WEBHOOK_BYTES } from "../../../src/contract/webhooks.ts";
import { issueKey } from "../../../src/server/accounts/keys.ts";
import {
  type Answer,
  BASE_URL,
  createAppTransport,
  NOW,
  send,
  startTestService,
  type TestService,
} from "../../harness.ts";
import { readSession, readSessionRow } from "../telemetry-helpers.ts";

const MINUTE = 60_000;
const CREATED = [201, { sessionsCreated: 1, messagesIngested: 0 }];
const APPENDED = [200, { sessionsCreated: 0, messagesIngested: 0 }];

let service: TestService;
let gameId: string;

beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember");
});

afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const url = (key: string) => `/api/webhooks/discord?key=${key}`;
const post = (body: unknown, key = service.keys.management, headers: Record<string, string> = {}) =>
  service.post(url(key), body, { key: null, headers });
const summarize = (answer: Answer) => [answer.status, answer.json];
const callWebhook = async (more: Record<string, unknown> = {}) =>
  summarize(await post({ channel_id: "c1", game: "ember", ...more }));
const sessions = async () => (await service.get("/api/v1/sessions")).json.items;

describe("the window", () => {
  it("closes thirty minutes after the last call", async () => {
    expect(await callWebhook()).toEqual(CREATED);
    for (let call = 0; call < 3; call += 1) {
      service.clock.now += 30 * MINUTE - 1000;
      expect(await callWebhook()).toEqual(APPENDED);
    }
    service.clock.now += 30 * MINUTE - 1;
    expect(await callWebhook()).toEqual(APPENDED);
    service.clock.now += 30 * MINUTE;
    expect(await callWebhook()).toEqual(CREATED);
    service.clock.now += 30 * MINUTE + 1000;
    expect(await callWebhook()).toEqual(CREATED);
    expect(await sessions()).toHaveLength(3);
  });

  it("is separate for each game, channel and thread, and for calls without a thread", async () => {
    await service.addGame("tide");
    const threads = [
      {},
      { thread_id: "t1" },
      { thread_id: "t2" },
      { channel_id: "c2" },
      { channel_id: "c2", thread_id: "t1" },
      { game: "tide" },
      { channel_id: "C1" },
      { channel_id: "c1 " },
      { thread_id: "c1" },
    ];
    for (const thread of threads) expect(await callWebhook(thread)).toEqual(CREATED);
    for (const thread of threads) expect(await callWebhook(thread)).toEqual(APPENDED);
  });

  it("is the same for the id and the slug of a game", async () => {
    expect(await callWebhook()).toEqual(CREATED);
    expect(await callWebhook({ game: gameId })).toEqual(APPENDED);
  });

  it("is separate for each account", async () => {
    const other = await service.addAccount("others");
    expect(await callWebhook()).toEqual(CREATED);
    const before = await post({ channel_id: "c1", game: "ember" }, other.keys.management);
    expect([before.status, before.text]).toEqual([400, '{"error":"unknown game"}']);
    const { ensureGame } = await import("../../../src/server/games/games.ts");
    await ensureGame(service.service.store.writeDb, service.service, other.accountId, "ember");
    expect(summarize(await post({ channel_id: "c1", game: "ember" }, other.keys.management))).toEqual(
      CREATED,
    );
    expect(await sessions()).toHaveLength(1);
  });

  it("creates one session for fifty concurrent calls", async () => {
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => callWebhook()));
      expect(answers.filter(([status]) => status === 201)).toHaveLength(1);
      expect(answers.filter(([status]) => status === 200)).toHaveLength(49);
      expect(await sessions()).toHaveLength(round + 1);
      service.clock.now += 31 * MINUTE;
    }
  });

  it("remains open after the session is analyzed", async () => {
    await callWebhook();
    await service.analysis.drain();
    const [{ id }] = await sessions();
    expect((await readSessionRow(service, id)).status).toBe("analyzed");
    expect(await callWebhook()).toEqual(APPENDED);
  });
});

describe("the session", () => {
  it("has the source discord, starts as pending, and is due for analysis immediately", async () => {
    await service.analysis.stop();
    await callWebhook({ thread_id: "t9" });
    const [item] = await sessions();
    expect(item).toMatchObject({
      gameId,
      source: "discord",
      status: "pending",
      recordedAt: NOW,
      duration: 0,
      title: "Discord thread t9",
      metadata: { gameVersion: "unknown", platform: "unknown", channel_id: "c1", thread_id: "t9" },
    });
    expect((await readSessionRow(service, item.id)).analysis_due).toBe(NOW);
  });

  it("is analyzed with a summary that nothing was recorded, and is counted in its game, but not as a build", async () => {
    await callWebhook();
    await service.analysis.drain();
    const [{ id }] = await sessions();
    const { session, insights } = await readSession(service, id);
    const titles = insights.map(({ type, title }: { type: string; title: string }) => [type, title]);
    expect([session.status, session.event_counts, titles]).toEqual([
      ...["analyzed", {}],
      [["session-summary", "Nothing was recorded"]],
    ]);
    expect((await service.get("/api/v1/games/ember")).json.counts).toEqual({
      sessionCount: 1,
      buildCount: 0,
      testerCount: 1,
    });
  });
});

describe("the body", () => {
  const valid = { channel_id: "c1", game: "ember" };

  it.each<[string, unknown, string]>([
    ["a number as channel", { ...valid, channel_id: 123456789012345 }, "channel_id"],
    ["no channel", { game: "ember" }, "channel_id"],
    ["an empty channel", { ...valid, channel_id: "" }, "channel_id"],
    ["a long channel", { ...valid, channel_id: "x".repeat(121) }, "channel_id"],
    ["NUL in the channel", { ...valid, channel_id: "a\0" }, "channel_id"],
    ["a lone surrogate in the channel", '{"channel_id":"\\ud800","game":"ember"}', "channel_id"],
    ["no game", { channel_id: "c" }, "game"],
    ["a long game", { ...valid, game: "x".repeat(121) }, "game"],
    ["an empty thread", { ...valid, thread_id: "" }, "thread_id"],
    ["a long thread", { ...valid, thread_id: "x".repeat(121) }, "thread_id"],
    ["null as thread", { ...valid, thread_id: null }, "thread_id"],
    ["a list", [], ""],
    ["null", null, ""],
    ["invalid JSON", "{", ""],
    ["no content", "", ""],
  ])("returns 400 for %s", async (_what, body, field) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    const [first] = answer.json.issues;
    expect(first.path.join(".")).toBe(field);
    expect(await sessions()).toEqual([]);
  });

  it("accepts ids of 1 to 120 characters, and ignores unknown fields", async () => {
    for (const id of ["x", "x".repeat(120), "é", "__proto__"]) {
      expect(await callWebhook({ channel_id: id, thread_id: id, colour: { red: 1 } })).toEqual(CREATED);
    }
  });

  it.each(["unknown", "game_0", "EMBER", "é"])("returns 400 for the unknown game %s", async (game) => {
    const answer = await post({ ...valid, game });
    expect([answer.status, answer.text]).toEqual([400, '{"error":"unknown game"}']);
  });

  it("is limited to 100 KiB, before and after decompression", async () => {
    const filled = (bytes: number) => {
      const bare = JSON.stringify({ ...valid, pad: "" });
      return JSON.stringify({ ...valid, pad: "x".repeat(bytes - bare.length) });
    };
    const gzip = { "content-encoding": "gzip" };
    expect(MAX_WEBHOOK_BYTES).toBe(102_400);
    expect((await post(filled(MAX_WEBHOOK_BYTES))).status).toBe(201);
    expect((await post(filled(MAX_WEBHOOK_BYTES + 1))).status).toBe(413);
    const packed = (bytes: number) => new Uint8Array(gzipSync(filled(bytes)));
    expect((await post(packed(MAX_WEBHOOK_BYTES), undefined, gzip)).status).toBe(200);
    expect((await post(packed(MAX_WEBHOOK_BYTES + 1), undefined, gzip)).status).toBe(413);
  });

  it("returns 415 for other content types than JSON", async () => {
    const answer = await post(valid, undefined, { "content-type": "text/plain" });
    expect(answer.status).toBe(415);
  });
});

describe("the key", () => {
  const body = { channel_id: "c1", game: "ember" };

  it("must be a management key: an ingest key gets a 403", async () => {
    const bound = await issueKey(service.service.store.writeDb, service.accountId, "ingest", 0, gameId);
    for (const key of [service.keys.ingest, bound]) {
      const answer = await post(body, key);
      expect([answer.status, answer.json.requiredScope]).toEqual([403, "management"]);
    }
    expect(await sessions()).toEqual([]);
  });

  it("shares its rate limit with reads", async () => {
    const limited = await startTestService({
      limits: {
        key: { points: 3, seconds: 60 },
        ip: { points: 99, seconds: 60 },
        telemetry: { points: 99, seconds: 60 },
      },
    });
    await limited.addGame("ember");
    const call = () => limited.post(url(limited.keys.management), body, { key: null });
    expect([(await call()).status, (await call()).status]).toEqual([201, 200]);
    expect((await limited.get("/api/v1/games")).status).toBe(200);
    const refused = await call();
    expect([refused.status, refused.json.scope]).toEqual([429, "key"]);
    expect((await limited.get("/api/v1/games")).status).toBe(429);
    await limited.stop();
  });

  it("is added to the URL by the client, and is not in its debug output", async () => {
    const exchanges: unknown[] = [];
    const requests: string[] = [];
    const transport = createAppTransport(service.app);
    const client = createClient(
      { ingestDiscordThread },
      {
        baseUrl: BASE_URL,
        key: service.keys.management,
        transport: (request) => {
          requests.push(request.url, ...Object.keys(request.headers));
          return transport(request);
        },
        waiting: { now: () => 0, sleep: async () => {}, random: () => 0, onWait: () => {} } as never,
        timeoutMs: 1000,
        maxWaitMs: 0,
        onExchange: (exchange) => exchanges.push(exchange),
      },
    );
    expect(await client.ingestDiscordThread({ body })).toEqual({ sessionsCreated: 1, messagesIngested: 0 });
    expect(requests[0]).toBe(BASE_URL + url(service.keys.management));
    expect(requests).not.toContain("authorization");
    expect(JSON.stringify(exchanges)).not.toContain(service.keys.management);
    expect(JSON.stringify(exchanges)).toContain("/api/webhooks/discord");
  });
});

it("returns 401 for other paths below /api/webhooks without a key, and 404 with one", async () => {
  for (const path of ["/api/webhooks", "/api/webhooks/slack"]) {
    expect((await send(service.app, path, { method: "POST" })).text).toBe('{"error":"Missing key"}');
    const known = await send(service.app, `${path}?key=${service.keys.management}`, { method: "POST" });
    expect([known.status, known.text]).toEqual([404, '{"error":"Not found"}']);
  }
});

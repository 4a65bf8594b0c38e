/** The live tail: what arrived and what was refused, as pages and as a stream, over real sockets and several servers. */
import { request as openRequest } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKey, issueKey } from "../../../src/server/accounts/keys.ts";
import { type ListeningServer, listen } from "../../../src/server/http/listen.ts";
import { engine, freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  expect(service.faults).toEqual([]);
  await service.stop();
});

const send = (names: readonly string[], more: object = {}) =>
  sendTelemetry(service, { gameId: "maze", deviceId: "dev_1", events: createEvents(names), ...more });

async function tail(query = "") {
  await service.service.arrivals.flush();
  const answer = await service.get(`/api/v1/telemetry/tail${query}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json as TailAnswer;
}

interface TailAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary items
  readonly items: any[];
  readonly next: string;
  readonly missed: number;
}

const namesOf = ({ items }: Pick<TailAnswer, "items">) =>
  items.map(({ event, refusal }) => event?.name ?? refusal.reason);

describe("the list of arrivals", () => {
  it("has events with their device, session and data", async () => {
    const id = await send([], {
      sessionMetadata: { gameVersion: "0.9.0" },
      events: [
        { id: "p", name: "player_pos", timestamp: NOW, data: { x: 1, y: 2, room: "dock" } },
        { id: "d", name: "player_death", timestamp: NOW + 5 },
      ],
    });
    const { items, missed } = await tail();
    expect(missed).toBe(0);
    expect(items.map(({ cursor: _cursor, ...item }) => item)).toMatchObject([
      {
        ...{ kind: "event", receivedAt: NOW, sessionId: id, deviceId: "dev_1" },
        ...{ environment: "production", build: "0.9.0", refusal: null },
        event: { id: "p", name: "player_pos", timestamp: NOW, data: { x: 1, y: 2, room: "dock" } },
      },
      { event: { id: "d", name: "player_death", timestamp: NOW + 5, data: null } },
    ]);
  });

  it("has each refusal with its reason: of events, and of requests", async () => {
    await service.post("/api/telemetry", {
      gameId: "maze",
      deviceId: "dev_2",
      events: [
        { id: "a", name: "jump", timestamp: NOW / 1000 },
        { id: "", name: "jump", timestamp: NOW },
        7,
        { id: "ok", name: "fine", timestamp: NOW },
      ],
    });
    await service.post("/api/telemetry", { gameId: "nowhere", deviceId: "dev_2", events: [] });
    await service.post("/api/telemetry", "{");
    await service.post("/api/telemetry", { gameId: "maze" });
    const { items } = await tail("?kind=refusal");
    expect(
      items.map(({ refusal, deviceId }) => [refusal.reason, refusal.index, refusal.name, deviceId]),
    ).toEqual([
      ["event_timestamp", 0, "jump", "dev_2"],
      ["event_id", 1, "jump", "dev_2"],
      ["event_not_object", 2, null, "dev_2"],
      [expect.stringMatching(/^(not_found|unknown_game)$/), null, null, "dev_2"],
      ["invalid_body", null, null, null],
      ["invalid_body", null, null, null],
    ]);
    expect(items[0].refusal.message).toContain("looks like seconds");
    expect(items[3].refusal.message).toBe('This key can access no game named "nowhere"');
    const counts = await service.get("/api/v1/telemetry/refusals");
    expect(counts.json.total).toBe(6);
    expect(counts.json.reasons).toContainEqual({ reason: "invalid_body", count: 2 });
    expect(counts.json.reasons).toContainEqual({ reason: "event_timestamp", count: 1 });
  });

  it("is filtered by game, device and event, and shows nothing of other accounts", async () => {
    await service.addGame("cave");
    await send(["a", "b"]);
    await send(["a", "c"], { gameId: "cave", deviceId: "dev_2" });
    await service.post("/api/telemetry", { gameId: "nowhere", events: [] });
    expect(namesOf(await tail("?kind=event"))).toEqual(["a", "b", "a", "c"]);
    expect(namesOf(await tail("?game=cave&kind=event"))).toEqual(["a", "c"]);
    expect((await tail("?game=cave")).items).toHaveLength(3);
    expect(namesOf(await tail("?device=dev_1&kind=event"))).toEqual(["a", "b"]);
    expect(namesOf(await tail("?event=a&kind=event"))).toEqual(["a", "a"]);
    const { keys } = await service.addAccount("other");
    const other = await service.get("/api/v1/telemetry/tail", { key: keys.management });
    expect(other.json).toMatchObject({ items: [], missed: 0 });
    expect((await service.get("/api/v1/telemetry/tail?game=maze", { key: keys.management })).status).toBe(
      404,
    );
  });

  it("continues after a cursor, in the middle of a request too", async () => {
    const { next: start } = await tail("?after=now");
    await send(["a", "b", "c"]);
    const first = await tail(`?after=${start}&limit=2`);
    expect(namesOf(first)).toEqual(["a", "b"]);
    await send(["d"]);
    const rest = await tail(`?after=${first.next}`);
    expect([namesOf(rest), rest.missed]).toEqual([["c", "d"], 0]);
    expect(namesOf(await tail(`?after=${rest.next}`))).toEqual([]);
    expect(namesOf(await tail(`?after=${first.items[0].cursor}`))).toEqual(["b", "c", "d"]);
    expect((await service.get("/api/v1/telemetry/tail?after=abc")).status).toBe(400);
  });

  it("says how many were missed, if they are no longer kept", async () => {
    await send(["a", "b", "c"]);
    const { items } = await tail();
    await send(["d", "e"]);
    await tail();
    service.clock.now += 11 * 60_000;
    await send(["f"]);
    const { missed, items: left } = await tail(`?after=${items[0].cursor}`);
    expect([missed, namesOf({ items: left })]).toEqual([4, ["f"]]);
  });

  it("counts the events of a damaged batch as missed, and shows the others", async () => {
    await send(["a", "b"], { clientSessionId: "damaged" });
    await service.service.store.writeDb
      .updateTable("event_batches")
      .set({ payload: Buffer.from("05ffffffffff", "hex") })
      .execute();
    await send(["c"], { clientSessionId: "whole" });
    const page = await tail();
    expect([namesOf(page), page.missed]).toEqual([["c"], 2]);
  });

  it("only counts what exceeds the maximum of one write", async () => {
    const { arrivals, store } = service.service;
    const sessionId = await send(["a"]);
    const { game_id: gameId } = await store.readDb
      .selectFrom("sessions")
      .select("game_id")
      .executeTakeFirstOrThrow();
    const { next } = await tail("?after=now");
    for (let at = 0; at < 300; at += 1)
      arrivals.addBatch(service.accountId, { gameId, sessionId, seq: 0, events: 10 });
    expect((await tail(`?after=${next}&event=other`)).missed).toBe(0);
    const counts = [];
    for (let after = next, at = 0; at < 6; at += 1) {
      const page = await tail(`?after=${after}&event=other`);
      counts.push(page.missed);
      after = page.next;
    }
    expect(counts.reduce((sum, count) => sum + count)).toBe(1000);
  });
});

/** One event of a stream. */
interface StreamEvent {
  readonly name: string;
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary data
  readonly data: any;
}

/** Opens a stream over a socket. `next` resolves with the next event; null at the end. */
async function openStream(server: ListeningServer, query = "", headers: Record<string, string> = {}) {
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    const outgoing = openRequest(
      `${server.url}/api/v1/telemetry/tail${query}`,
      {
        agent: false,
        headers: {
          authorization: `Bearer ${service.keys.management}`,
          accept: "text/event-stream",
          ...headers,
        },
      },
      resolve,
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
  response.on("error", () => {});
  cleanups.push(() => response.destroy());
  const iterator = response.setEncoding("utf8")[Symbol.asyncIterator]();
  let text = "";
  return {
    response,
    async next(): Promise<StreamEvent | null> {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end >= 0) {
          const block = text.slice(0, end);
          text = text.slice(end + 2);
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? null;
          const data = field("data");
          if (data !== null) return { name: field("event") ?? "", id: field("id"), data: JSON.parse(data) };
          continue;
        }
        const { value, done } = await iterator.next();
        if (done) return null;
        text += value;
      }
    },
  };
}

async function serve(of: TestService = service): Promise<ListeningServer> {
  const server = await listen(of.app, { host: "127.0.0.1", port: 0, drainMs: 2000 });
  cleanups.push(() => {
    of.drain();
    return server.close();
  });
  return server;
}

describe("the stream of arrivals", () => {
  it("shows events and refusals as they arrive, and resumes after the last event", async () => {
    const server = await serve();
    const stream = await openStream(server, "?after=now");
    expect(stream.response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
      "cache-control": "no-cache, no-transform",
    });
    await send(["a", "b"]);
    const first = await stream.next();
    expect([first?.name, first?.data.event.name]).toEqual(["event", "a"]);
    expect((await stream.next())?.data.event.name).toBe("b");
    await service.post("/api/telemetry", "{");
    expect((await stream.next())?.data.refusal.reason).toBe("invalid_body");
    stream.response.destroy();
    await send(["c"]);
    const resumed = await openStream(server, "?after=now", { "last-event-id": first?.id ?? "" });
    const names = [];
    for (let at = 0; at < 3; at += 1) names.push((await resumed.next())?.data);
    expect(namesOf({ items: names })).toEqual(["b", "invalid_body", "c"]);
  });

  it("ends when its key is replaced, and when the service shuts down", async () => {
    const server = await serve();
    const revoked = await openStream(server, "?after=now");
    const key = await issueKey(service.service.store.writeDb, service.accountId, "management", NOW);
    expect(await revoked.next()).toMatchObject({ name: "end", data: { reason: "key_revoked" } });
    expect(await revoked.next()).toBeNull();
    const open = await openStream(server, "?after=now", { authorization: `Bearer ${key}` });
    service.drain();
    expect(await open.next()).toMatchObject({ name: "end", data: { reason: "shutdown" } });
    expect(await open.next()).toBeNull();
  });

  it("ends when its key expires", async () => {
    const server = await serve();
    const limits = { kind: "management", name: "ci", expiresAt: service.clock.now + 60_000 } as const;
    const key = await createKey(service.service.store.writeDb, service.accountId, NOW, limits);
    const open = await openStream(server, "?after=now", { authorization: `Bearer ${key}` });
    expect(open.response.statusCode).toBe(200);
    service.clock.now += 60_000;
    expect(await open.next()).toMatchObject({ name: "end", data: { reason: "key_revoked" } });
    expect(await open.next()).toBeNull();
  });

  it("is refused if too many are open, and available again when one ends", async () => {
    const server = await serve();
    const open = [];
    for (let at = 0; at < 8; at += 1) open.push(await openStream(server));
    const refused = await openStream(server);
    expect([refused.response.statusCode, refused.response.headers["retry-after"]]).toEqual([503, "5"]);
    open[0]?.response.destroy();
    await expect.poll(async () => (await openStream(server)).response.statusCode).toBe(200);
  });

  it("does not read ahead of a slow reader, who learns how many events were missed", async () => {
    const server = await serve();
    const stream = await openStream(server, "?after=now");
    stream.response.pause();
    const text = "x".repeat(100_000);
    const sent = 120;
    for (let at = 0; at < sent; at += 1) {
      await send([], {
        clientSessionId: "s",
        events: [{ id: `e${at}`, name: "big", timestamp: NOW, data: { text } }],
      });
      if (at % 20 === 0) await service.service.arrivals.flush();
    }
    await service.service.arrivals.flush();
    await new Promise((resolve) => setTimeout(resolve, 700));
    service.clock.now += 11 * 60_000;
    await send(["last"]);
    stream.response.resume();
    let [received, missed] = [0, 0];
    for (let last = ""; last !== "last"; ) {
      const event = await stream.next();
      if (event?.name === "missed") missed += event.data.missed;
      else received += 1;
      last = event?.data.event?.name ?? "";
    }
    expect(missed).toBeGreaterThan(0);
    expect(received + missed).toBe(sent + 1);
  });

  it.skipIf(engine === "sqlite")("shows what arrived at another server", async () => {
    const file = `${freshFolder()}/shared.db`;
    const first = await startTestService({ database: file });
    await first.addGame("maze");
    const second = await startTestService({ database: file, continues: first });
    cleanups.push(
      () => first.stop(),
      () => second.stop(),
    );
    const own = service;
    service = first;
    const stream = await openStream(await serve(first), "?after=now");
    service = second;
    await send(["far"]);
    expect((await stream.next())?.data.event.name).toBe("far");
    await second.post("/api/telemetry", "{");
    expect((await stream.next())?.data.refusal.reason).toBe("invalid_body");
    service = own;
  });
});

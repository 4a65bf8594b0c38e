/** The stored events of a game in the order of arrival: every event once, whatever happens between two pages. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RawEvent, RawEventPage } from "../../../src/contract/events.ts";
import { deleteSession } from "../../../src/server/erasure/delete-session.ts";
import { prune } from "../../../src/server/pruning/prune.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";

const HOUR = 3600_000;
let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const send = (session: string, events: readonly object[], more: object = {}) =>
  sendTelemetry(service, { gameId: "maze", clientSessionId: session, deviceId: "d1", events, ...more });

async function list(query = ""): Promise<RawEventPage> {
  const answer = await service.get(`/api/v1/raw-events/maze${query}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json;
}

async function listAll(query: string, between: () => Promise<unknown> = async () => {}): Promise<RawEvent[]> {
  const items: RawEvent[] = [];
  for (let cursor: string | null | undefined = ""; typeof cursor === "string"; ) {
    const page: RawEventPage = await list(`?${query}${cursor === "" ? "" : `&cursor=${cursor}`}`);
    items.push(...page.items);
    cursor = page.next;
    await between();
  }
  return items;
}

const ids = (items: readonly RawEvent[]) => items.map(({ id }) => id);
const damageBatches = (session: string, payload: Uint8Array) =>
  service.service.store.writeDb
    .updateTable("event_batches")
    .set({ payload })
    .where("session_id", "=", session)
    .execute();

describe("raw events", () => {
  it("have the data that the game sent, their session, and their position", async () => {
    const data = { x: 1.5, y: -2, room: "dock" };
    const id = await send(
      "one",
      [
        { id: "p", name: "player_pos", timestamp: NOW - 5, data },
        { id: "q", name: "player_pos", timestamp: NOW - 4, data: { ...data, speed: 2 } },
        { id: "r", name: "death", timestamp: NOW - 3, data: { room: "dock", x: "left" } },
        { id: "s", name: "jump", timestamp: NOW - 2 },
      ],
      { testerHandle: "ada", environment: "staging", sessionMetadata: { gameVersion: "1.0" } },
    );
    service.clock.now = NOW + 500;
    const { items, next, settledUntil, unreadable } = await list();
    const session = { sessionId: id, deviceId: "d1", testerHandle: "ada", build: "1.0" };
    const common = { ...session, environment: "staging", source: "typescript-telemetry", receivedAt: NOW };
    expect(items).toEqual([
      { id: "p", name: "player_pos", timestamp: NOW - 5, ...common, ...data, data },
      { id: "q", name: "player_pos", timestamp: NOW - 4, ...common, ...data, data: { ...data, speed: 2 } },
      {
        ...{ id: "r", name: "death", timestamp: NOW - 3, ...common, room: "dock", x: null, y: null },
        data: { room: "dock", x: "left" },
      },
      { id: "s", name: "jump", timestamp: NOW - 2, ...common, room: null, x: null, y: null, data: null },
    ]);
    expect({ next, settledUntil, unreadable }).toEqual({
      ...{ next: null, settledUntil: NOW + 500 - 60_000, unreadable: 0 },
    });
  });

  it("are the same after compaction", async () => {
    for (let at = 0; at < 140; at += 1) {
      const event = { name: "player_pos", timestamp: NOW + at };
      const rooms = ["dock", "hall"].map((room) => ({
        ...{ ...event, id: `${room}${at}` },
        data: { x: at, y: -at, room },
      }));
      await send(`s${at % 7}`, rooms, { source: "unity-telemetry" });
    }
    const before = await listAll("limit=51");
    expect(before).toHaveLength(280);
    service.clock.now += 24 * HOUR;
    await service.compaction.drain();
    expect(
      await service.service.store.readDb.selectFrom("position_slices").selectAll().execute(),
    ).not.toEqual([]);
    expect(await listAll("limit=51")).toEqual(before);
    expect((await list()).items).toEqual(before);
  });

  it("are filtered by name, build, environment and arrival", async () => {
    await send("one", createEvents(["a", "b"]), { sessionMetadata: { gameVersion: "1.0" } });
    service.clock.now += HOUR;
    await send("two", createEvents(["a", "c"]), {
      ...{ sessionMetadata: { gameVersion: "2.0" }, environment: "staging" },
    });
    expect((await list("?event=a")).items.map(({ build }) => build)).toEqual(["1.0", "2.0"]);
    expect((await list("?build=2.0")).items).toHaveLength(2);
    expect((await list("?env=production")).items.map(({ build }) => build)).toEqual(["1.0", "1.0"]);
    expect((await list("?env=all")).items).toHaveLength(4);
    expect((await list(`?from=${NOW + 1}`)).items.map(({ build }) => build)).toEqual(["2.0", "2.0"]);
    expect((await list(`?to=${NOW + HOUR - 1}`)).items.map(({ build }) => build)).toEqual(["1.0", "1.0"]);
    expect((await list("?event=nosuch")).items).toEqual([]);
    expect((await service.get("/api/v1/raw-events/nosuch")).status).toBe(404);
    expect((await service.get("/api/v1/raw-events/maze?cursor=AAAA")).status).toBe(400);
  });

  it("are listed once each, page by page, while further ones arrive", async () => {
    for (let at = 0; at < 5; at += 1) await send(`s${at}`, createEvents(["a", "b", "c"]));
    let sent = 15;
    const items = await listAll("limit=4", async () => {
      if (sent >= 30) return;
      service.clock.now += 1;
      await send(`s${sent}`, createEvents(["x", "y", "z"]));
      sent += 3;
    });
    const keys = items.map(({ id, sessionId }) => `${sessionId} ${id}`);
    expect([keys.length, new Set(keys).size]).toEqual([sent, sent]);
    expect(items.map(({ receivedAt }) => receivedAt)).toEqual(
      items.map(({ receivedAt }) => receivedAt).sort((a, b) => a - b),
    );
  });

  it("never arrive before what was already listed, if the clock is set back", async () => {
    await send("z", createEvents(["a"]));
    const { items } = await list();
    service.clock.now = NOW - 10 * 60_000;
    await send("a", createEvents(["b"]));
    await send("b", createEvents(["c"]));
    const from = (items[0]?.receivedAt ?? 0) + 1;
    const later = (await list(`?from=${from}`)).items;
    expect(later.map(({ name, receivedAt }) => [name, receivedAt])).toEqual([
      ["b", NOW + 1],
      ["c", NOW + 2],
    ]);
  });

  it("arrive by the clock of the service after a batch of a clock that was far ahead", async () => {
    service.clock.now = NOW + 400 * 24 * HOUR;
    await send("ahead", createEvents(["a"]));
    service.clock.now = NOW;
    await send("now", createEvents(["b"]));
    expect((await list(`?to=${NOW}`)).items.map(({ name }) => name)).toEqual(["b"]);
  });

  it("end a page by bytes", async () => {
    const data = { text: "x".repeat(20_000) };
    for (let at = 0; at < 5; at += 1) {
      const events = createEvents(Array<string>(45).fill("a")).map((event) => ({ ...event, data }));
      await send(`s${at}`, events);
    }
    const first = await list();
    expect(JSON.stringify(first.items).length).toBeLessThan(4.1 * 1024 * 1024);
    expect(first.items.length).toBeGreaterThan(190);
    expect(first.next).not.toBeNull();
    expect(ids(await listAll(""))).toHaveLength(225);
  });

  it("are counted if they are damaged, and the others are listed", async () => {
    const damaged = await send("one", createEvents(["a", "b"]));
    service.clock.now += 1;
    await send("two", createEvents(["c"]));
    await damageBatches(damaged, Buffer.from("05ffffffffff", "hex"));
    const { items, unreadable } = await list();
    expect([items.map(({ name }) => name), unreadable]).toEqual([["c"], 2]);
  });

  it("are not listed after their session was deleted or pruned", async () => {
    const gone = await send("one", createEvents(["a"]), { sessionEnded: true });
    await send("two", createEvents(["b"], NOW - 100 * 24 * HOUR), {
      ...{ sessionEnded: true, startedAt: NOW - 100 * 24 * HOUR },
    });
    await send("three", createEvents(["c"]));
    await service.analysis.drain();
    await deleteSession(service.service, service.accountId, await readSessionRow(service, gone));
    const policy = { keepEventsMs: 90 * 24 * HOUR, keepSessionsMs: null };
    await prune(service.service, policy, { signal: new AbortController().signal });
    expect((await list()).items.map(({ name }) => name)).toEqual(["c"]);
  });
});

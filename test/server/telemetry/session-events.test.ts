/** The events of one session: pages, filters, and the events around an insight. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AROUND_MS } from "../../../src/contract/session-events.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, readSession, type SentEvent, sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
let id: string;

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const send = (events: readonly SentEvent[], more: object = {}) =>
  sendTelemetry(service, { gameId: "maze", clientSessionId: "one", events, ...more });

async function list(query = "") {
  const answer = await service.get(`/api/v1/sessions/${id}/events${query}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json as {
    items: (SentEvent & { offsetMs: number; cited: boolean })[];
    next: string | null;
    unreadable: number;
  };
}

/** Damages the first stored batch of the session. */
const damageBatch = (seq: number) =>
  service.service.store.writeDb
    .updateTable("event_batches")
    .set({ payload: Buffer.from("05ffffffffff", "hex") })
    .where("session_id", "=", id)
    .where("seq", "=", seq)
    .execute();

/** Reads all pages. */
async function listAllPages(query: string) {
  const pages = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await list(`${query}${cursor === "" ? "" : `&cursor=${cursor}`}`);
    pages.push(page.items);
    cursor = page.next;
  }
  return pages;
}

const pos = (eventId: string, timestamp: number, x: number): SentEvent => ({
  id: eventId,
  name: "player_pos",
  timestamp,
  data: { x, y: -x, room: "dock" },
});

describe("the events of a session", () => {
  it("have the data that the game sent, in the order of arrival, with the time since the first event", async () => {
    id = await send([pos("p1", NOW + 1500, 2), { id: "d", name: "player_death", timestamp: NOW + 1000 }]);
    await send([{ id: "x", name: "jump", timestamp: NOW, data: { height: 2, at: ["a", 1] } }]);
    const { items, next } = await list();
    expect(next).toBeNull();
    expect(items).toEqual([
      { ...pos("p1", NOW + 1500, 2), offsetMs: 1500, cited: false },
      {
        ...{ id: "d", name: "player_death", timestamp: NOW + 1000, data: null },
        ...{ offsetMs: 1000, cited: false },
      },
      {
        ...{ id: "x", name: "jump", timestamp: NOW, data: { height: 2, at: ["a", 1] } },
        ...{ offsetMs: 0, cited: false },
      },
    ]);
  });

  it("keep the coordinates of positions after compaction", async () => {
    id = await send([pos("p1", NOW, 2), pos("p2", NOW + 1, 3)], {
      sessionEnded: true,
      source: "unity-telemetry",
    });
    await service.analysis.drain();
    const before = await list();
    service.clock.now += 24 * 3600_000;
    await service.compaction.drain();
    expect(await list()).toEqual(before);
  });

  it("are filtered by name and time", async () => {
    id = await send(createEvents(["a", "b", "a", "b"]));
    expect((await list("?event=a")).items.map((event) => event.id)).toEqual(["e0", "e2"]);
    const range = await list(`?from=${NOW + 1000}&to=${NOW + 2000}`);
    expect(range.items.map((event) => event.id)).toEqual(["e1", "e2"]);
    expect((await list("?event=c")).items).toEqual([]);
  });

  it("are complete page by page, even if events arrive in between", async () => {
    id = await send(createEvents(Array<string>(10).fill("a")));
    const first = await list("?limit=4");
    expect(first.items).toHaveLength(4);
    await send([{ id: "late", name: "a", timestamp: NOW - 5000 }]);
    const second = await list(`?limit=100&cursor=${first.next}`);
    expect([...first.items, ...second.items].map((event) => event.id)).toEqual([
      ...createEvents(Array<string>(10).fill("a")).map((event) => event.id),
      "late",
    ]);
    expect(second.next).toBeNull();
  });

  it("are split into pages by size, with at least one event each", async () => {
    const big = "x".repeat(400_000);
    for (let batch = 0; batch < 4; batch += 1) {
      id = await send(
        [0, 1].map((at) => ({ id: `b${batch}-${at}`, name: "big", timestamp: NOW, data: { big } })),
      );
    }
    const pages = await listAllPages("?limit=2000");
    expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 2]);
  });

  it("are listed without those of a damaged batch, which are counted", async () => {
    id = await send(createEvents(["a", "b"]));
    await send([{ id: "x", name: "c", timestamp: NOW }]);
    await damageBatch(0);
    const { items, unreadable } = await list();
    expect([items.map((event) => event.id), unreadable]).toEqual([["x"], 2]);
  });

  it("are not found in another account, and refuse a cursor of another list", async () => {
    id = await send(createEvents(["a"]));
    const other = await service.addAccount("other");
    const path = `/api/v1/sessions/${id}/events`;
    expect((await service.get(path, { key: other.keys.management })).status).toBe(404);
    const refused = await service.get(`${path}?cursor=abc`);
    expect([refused.status, refused.json.issues[0].path]).toEqual([400, ["cursor"]]);
  });
});

describe("the events around an insight", () => {
  const deaths = [200_000, 204_000, 209_000, 215_000, 222_000];

  async function play(): Promise<void> {
    const ticks = Array.from({ length: 60 }, (_, at) => ({
      id: `t${at}`,
      name: "tick",
      timestamp: NOW + at * 5000,
    }));
    const died = deaths.map((at, n) => ({
      id: `d${n}`,
      name: "player_death",
      timestamp: NOW + at,
      data: { room: "dock" },
    }));
    id = await send([...ticks, ...died], { sessionEnded: true });
    await service.analysis.drain();
  }

  it("begin 30 seconds before the first event that it refers to, and end 5 seconds after the last one", async () => {
    await play();
    const { insights } = await readSession(service, id);
    const spike = insights.find(({ tag }: { tag: string }) => tag.endsWith(":dock"));
    const { items } = await list(`?around=${spike.id}`);
    const cited = items.filter((event) => event.cited);
    expect(cited.map((event) => event.id)).toEqual(["d0", "d1", "d2", "d3", "d4"]);
    const times = items.map(({ offsetMs }) => offsetMs);
    expect(Math.min(...times)).toBe((deaths[0] ?? 0) - AROUND_MS.before);
    expect(Math.max(...times)).toBe(225_000);
    expect(items.filter((event) => event.name === "tick")).toHaveLength(12);
  });

  it("are found even if another batch is damaged", async () => {
    await play();
    const { insights } = await readSession(service, id);
    // The analysis has packed the batches before this one into a block.
    await send([{ id: "late", name: "a", timestamp: NOW }]);
    await damageBatch(1);
    const spike = insights.find(({ tag }: { tag: string }) => tag.endsWith(":dock"));
    const { items, unreadable } = await list(`?around=${spike.id}`);
    expect([items.filter((event) => event.cited).length, unreadable]).toEqual([5, 1]);
  });

  it.each([
    ["during the session", NOW + 100_000, [70_000, 105_000]],
    ["after its last event", NOW + 3600_000, [265_000, 295_000]],
  ])("are those around the time of a bug report that arrived %s", async (_, arrivedAt, expected) => {
    await play();
    service.clock.now = arrivedAt;
    const report = { title: "Stuck", description: "I cannot move.", idempotencyKey: "k", sessionId: id };
    expect((await service.post("/api/telemetry/bug-report", { gameId: "maze", ...report })).status).toBe(200);
    await service.analysis.drain();
    const { insights } = await readSession(service, id);
    const insight = insights.find(({ title }: { title: string }) => title.startsWith("A player reported"));
    const times = (await list(`?around=${insight.id}`)).items.map(({ offsetMs }) => offsetMs);
    expect([Math.min(...times), Math.max(...times)]).toEqual(expected);
  });

  it("are refused for an insight of another session, and for an unknown insight", async () => {
    await play();
    const { insights } = await readSession(service, id);
    id = await send(createEvents(["a"]), { clientSessionId: "two" });
    for (const around of [insights[0].id, "ins_none"]) {
      const answer = await service.get(`/api/v1/sessions/${id}/events?around=${around}`);
      expect([answer.status, answer.json.issues[0].path]).toEqual([400, ["around"]]);
    }
  });
});

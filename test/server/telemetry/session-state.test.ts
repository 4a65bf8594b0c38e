/** A session's way through its states: when it ends, when it is analysed, and what starts that again. */
import { afterEach, describe, expect, it } from "vitest";
import type { Db } from "../../../src/server/db/schema.ts";
import { updateSession } from "../../../src/server/sessions/queries.ts";
import { encodeBatch } from "../../../src/server/telemetry/batch-codec.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { type Body, eventsOf, listAll, play, read, rowOf, type SentEvent } from "../telemetry-helpers.ts";

const MINUTE = 60_000;
let service: TestService;

afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function start(): Promise<void> {
  service = await startTestService();
  await service.addGame("maze");
}

const send = (body: Body) => play(service, { gameId: "maze", clientSessionId: "one", ...body });
const statusOf = async (id: string) => (await read(service, id)).session.status as string;

async function settle(later = 0): Promise<void> {
  service.clock.now += later;
  await service.analysis.drain();
}

const at = (id: string, name: string, timestamp: number, data?: Record<string, unknown>): SentEvent => ({
  id,
  name,
  timestamp,
  ...(data ? { data } : {}),
});

describe("status", () => {
  it("is pending while events come, and analyzed once 30 minutes passed without any", async () => {
    await start();
    const id = await send({ events: eventsOf(["begin"]) });
    await settle();
    expect(await statusOf(id)).toBe("pending");
    await settle(29 * MINUTE);
    await send({ events: [at("late", "move", NOW)] });
    await settle(30 * MINUTE - 1);
    expect(await statusOf(id)).toBe("pending");
    await settle(1);
    expect(await statusOf(id)).toBe("analyzed");
    expect((await read(service, id)).insights.length).toBeGreaterThan(0);
  });

  it("ends by itself where no event ever came", async () => {
    await start();
    const id = await send({});
    await settle(30 * MINUTE - 1);
    expect(await statusOf(id)).toBe("pending");
    await settle(1);
    expect(await statusOf(id)).toBe("analyzed");
  });

  it.each([
    ["sessionEnded with events", { sessionEnded: true, events: eventsOf(["begin"]) }],
    ["sessionEnded alone", { sessionEnded: true }],
    ["a session_summary", { events: eventsOf(["begin", "session_summary"]) }],
  ])("ends at once with %s", async (_, body) => {
    await start();
    const id = await send({
      events: eventsOf(["before"], NOW - MINUTE).map((event) => ({ ...event, id: "x" })),
    });
    expect(await statusOf(id)).toBe("pending");
    await send(body);
    await settle();
    expect(await statusOf(id)).toBe("analyzed");
  });

  it("does not end with sessionEnded: false", async () => {
    await start();
    const id = await send({ sessionEnded: false, events: eventsOf(["begin"]) });
    await settle();
    expect(await statusOf(id)).toBe("pending");
  });

  it("is not put off by events sent again, nor by nothing", async () => {
    await start();
    const id = await send({ events: eventsOf(["begin"]) });
    await settle(29 * MINUTE);
    await send({ events: eventsOf(["begin"]) });
    await send({});
    await settle(MINUTE);
    expect(await statusOf(id)).toBe("analyzed");
    await send({ events: eventsOf(["begin"]), sessionEnded: false });
    expect(await statusOf(id)).toBe("analyzed");
  });

  it("goes back to pending with new events after the end, and the insights are replaced", async () => {
    await start();
    const fails = (from: number) =>
      [0, 1, 2, 3, 4, 5, 6, 7].map((n) =>
        at(`f${from}-${n}`, "fail", NOW + (from + n) * 1000, { room: `room-${from}` }),
      );
    const id = await send({ events: fails(0), sessionEnded: true });
    await settle();
    const before = (await read(service, id)).insights;
    const tags = (list: { tag: string }[]) => list.map(({ tag }) => tag).sort();
    expect(tags(before)).toContain("difficulty-spike:room-0");
    await send({ events: fails(10) });
    await settle(MINUTE);
    const { session, insights } = await read(service, id);
    expect(session.status).toBe("analyzed");
    expect(tags(insights)).toEqual(
      expect.arrayContaining(["difficulty-spike:room-0", "difficulty-spike:room-10"]),
    );
    expect(insights.filter(({ tag }: { tag: string }) => tag === "difficulty-spike:room-0")).toHaveLength(1);
    expect(await listAll(service, "/api/v1/insights")).toHaveLength(insights.length);
    const kept = insights.find(({ tag }: { tag: string }) => tag === "difficulty-spike:room-0");
    expect(kept.id).toBe(before.find(({ tag }: { tag: string }) => tag === "difficulty-spike:room-0").id);
  });

  it("waits again for 30 minutes where the first end was by idleness", async () => {
    await start();
    const id = await send({ events: eventsOf(["begin"]) });
    await settle(30 * MINUTE);
    await send({ events: [at("more", "move", NOW)] });
    await settle(29 * MINUTE);
    expect(await statusOf(id)).toBe("pending");
    await settle(MINUTE);
    expect(await statusOf(id)).toBe("analyzed");
  });

  it("is the same in the list and in full", async () => {
    await start();
    const id = await send({ events: eventsOf(["begin"]) });
    for (const status of ["pending", "analyzed"]) {
      const [item] = await listAll(service, "/api/v1/sessions");
      const { session } = await read(service, id);
      expect(item.status).toBe(status);
      expect(session).toMatchObject(item);
      await settle(30 * MINUTE);
    }
  });
});

describe("the analysis", () => {
  it("takes up what a stopped service left, once it is due", async () => {
    await start();
    const id = await send({ events: eventsOf(["begin", "fail"]), sessionEnded: true });
    await settle();
    const { writeDb: write } = service.service.store;
    await write
      .updateTable("sessions")
      .set({ status: "processing", analysis_due: NOW, analysis_lease: NOW + MINUTE })
      .where("id", "=", id)
      .execute();
    await settle(MINUTE - 1);
    expect((await rowOf(service, id)).status).toBe("processing");
    await settle(1);
    expect((await rowOf(service, id)).status).toBe("analyzed");
  });

  it("leaves for later a session that another server stored events of between its reading and its writing", async () => {
    let [time, looks, meanwhile] = [NOW, Number.NEGATIVE_INFINITY, Promise.resolve()];
    const late = Array.from({ length: 8 }, (_, n) => at(`f${n}`, "fail", NOW + n, { room: "late" }));
    const store = async (db: Db) => {
      const session = await db.selectFrom("sessions").selectAll().forUpdate().executeTakeFirstOrThrow();
      const { game_id, id, next_batch: seq } = session;
      const { payload } = encodeBatch(late);
      await db
        .insertInto("event_batches")
        .values({ game_id, session_id: id, seq, event_count: late.length, payload })
        .execute();
      const changed = { next_batch: seq + 1, analysis_due: time + 30 * MINUTE, status: "pending" as const };
      await updateSession(db, session, changed);
    };
    const clock = {
      /** Looked at when the session is claimed, and again once it has been read. */
      get now() {
        looks += 1;
        if (looks === 2) meanwhile = service.service.store.write(store);
        return time;
      },
    };
    service = await startTestService({ clock });
    await service.addGame("maze");
    const id = await send({ events: eventsOf(["begin"]) });
    time += 30 * MINUTE;
    looks = 0;
    await service.analysis.drain();
    await meanwhile;
    expect(looks).toBeGreaterThanOrEqual(2);
    expect(await statusOf(id)).toBe("pending");
    time += 30 * MINUTE;
    await service.analysis.drain();
    const { session, insights } = await read(service, id);
    expect(session.status).toBe("analyzed");
    expect(insights.map(({ tag }: { tag: string }) => tag)).toContain("difficulty-spike:late");
  });

  it("gives up a session it fails at five times, with waits between, and takes it up again with new events", async () => {
    await start();
    const id = await send({ events: eventsOf(["begin"]) });
    const { writeDb: write } = service.service.store;
    const stored = await write.selectFrom("event_batches").selectAll().executeTakeFirstOrThrow();
    await write
      .updateTable("event_batches")
      .set({ payload: new Uint8Array([9]) })
      .execute();
    await send({ sessionEnded: true });
    const statuses = [];
    for (let n = 0; n < 5; n += 1) {
      await settle(n === 0 ? 0 : MINUTE);
      statuses.push((await rowOf(service, id)).status);
      await settle();
    }
    expect(statuses).toEqual(["pending", "pending", "pending", "pending", "failed"]);
    expect(service.faults).toHaveLength(10);
    service.faults.length = 0;
    await write.updateTable("event_batches").set({ payload: stored.payload }).execute();
    await settle(60 * MINUTE);
    expect(await statusOf(id)).toBe("failed");
    service.service.seenIds.forget(id);
    await send({ events: [at("new", "move", NOW)] });
    await settle();
    expect(await statusOf(id)).toBe("analyzed");
  });
});

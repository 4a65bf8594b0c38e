/** The states of a session: when it ends, when it is analyzed, and when it is analyzed again. */
import { afterEach, describe, expect, it } from "vitest";
import { analyzeNext } from "../../../src/server/analysis/analyze-next.ts";
import { UNAVAILABLE_CODE } from "../../../src/server/db/errors.ts";
import type { Db } from "../../../src/server/db/schema.ts";
import { updateSession } from "../../../src/server/sessions/session-queries.ts";
import { retryAnalysis } from "../../../src/server/sessions/sessions.ts";
import { encodeBatch } from "../../../src/server/telemetry/batch-codec.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import {
  type Body,
  createEvents,
  listAll,
  readSession,
  readSessionRow,
  type SentEvent,
  sendTelemetry,
} from "../telemetry-helpers.ts";

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

const send = (body: Body) => sendTelemetry(service, { gameId: "maze", clientSessionId: "one", ...body });
const readStatus = async (id: string) => (await readSession(service, id)).session.status as string;

/** Advances the clock by `ms`, and runs all analyses that are due. */
async function advance(ms = 0): Promise<void> {
  service.clock.now += ms;
  await service.analysis.drain();
}

const at = (id: string, name: string, timestamp: number, data?: Record<string, unknown>): SentEvent => ({
  id,
  name,
  timestamp,
  ...(data ? { data } : {}),
});

describe("the status of a session", () => {
  it("is pending while events arrive, and analyzed after 30 minutes without events", async () => {
    await start();
    const id = await send({ events: createEvents(["begin"]) });
    await advance();
    expect(await readStatus(id)).toBe("pending");
    await advance(29 * MINUTE);
    await send({ events: [at("late", "move", NOW)] });
    await advance(30 * MINUTE - 1);
    expect(await readStatus(id)).toBe("pending");
    await advance(1);
    expect(await readStatus(id)).toBe("analyzed");
    expect((await readSession(service, id)).insights.length).toBeGreaterThan(0);
  });

  it("is analyzed after 30 minutes if there are no events at all", async () => {
    await start();
    const id = await send({});
    await advance(30 * MINUTE - 1);
    expect(await readStatus(id)).toBe("pending");
    await advance(1);
    expect(await readStatus(id)).toBe("analyzed");
  });

  it.each([
    ["sessionEnded with events", { sessionEnded: true, events: createEvents(["begin"]) }],
    ["sessionEnded alone", { sessionEnded: true }],
    ["a session_summary", { events: createEvents(["begin", "session_summary"]) }],
  ])("is analyzed immediately after %s", async (_, body) => {
    await start();
    const id = await send({
      events: createEvents(["before"], NOW - MINUTE).map((event) => ({ ...event, id: "x" })),
    });
    expect(await readStatus(id)).toBe("pending");
    await send(body);
    await advance();
    expect(await readStatus(id)).toBe("analyzed");
  });

  it("is still pending after sessionEnded: false", async () => {
    await start();
    const id = await send({ sessionEnded: false, events: createEvents(["begin"]) });
    await advance();
    expect(await readStatus(id)).toBe("pending");
  });

  it("is not changed or delayed by duplicate events or empty requests", async () => {
    await start();
    const id = await send({ events: createEvents(["begin"]) });
    await advance(29 * MINUTE);
    await send({ events: createEvents(["begin"]) });
    await send({});
    await advance(MINUTE);
    expect(await readStatus(id)).toBe("analyzed");
    await send({ events: createEvents(["begin"]), sessionEnded: false });
    expect(await readStatus(id)).toBe("analyzed");
  });

  it("is pending again after new events, and a second analysis replaces the insights", async () => {
    await start();
    const fails = (from: number) =>
      [0, 1, 2, 3, 4, 5, 6, 7].map((n) =>
        at(`f${from}-${n}`, "death", NOW + (from + n) * 1000, { room: `room-${from}` }),
      );
    const id = await send({ events: fails(0), sessionEnded: true });
    await advance();
    const before = (await readSession(service, id)).insights;
    const tags = (list: { tag: string }[]) => list.map(({ tag }) => tag).sort();
    expect(tags(before)).toContain("difficulty-spike:room-0");
    await send({ events: fails(10) });
    await advance(MINUTE);
    const { session, insights } = await readSession(service, id);
    expect(session.status).toBe("analyzed");
    expect(tags(insights)).toEqual(
      expect.arrayContaining(["difficulty-spike:room-0", "difficulty-spike:room-10"]),
    );
    expect(insights.filter(({ tag }: { tag: string }) => tag === "difficulty-spike:room-0")).toHaveLength(1);
    expect(await listAll(service, "/api/v1/insights")).toHaveLength(insights.length);
    const same = insights.find(({ tag }: { tag: string }) => tag === "difficulty-spike:room-0");
    expect(same.id).toBe(before.find(({ tag }: { tag: string }) => tag === "difficulty-spike:room-0").id);
  });

  it("is pending for another 30 minutes if events arrive after an end by timeout", async () => {
    await start();
    const id = await send({ events: createEvents(["begin"]) });
    await advance(30 * MINUTE);
    await send({ events: [at("more", "move", NOW)] });
    await advance(29 * MINUTE);
    expect(await readStatus(id)).toBe("pending");
    await advance(MINUTE);
    expect(await readStatus(id)).toBe("analyzed");
  });

  it("is the same in lists and in the details", async () => {
    await start();
    const id = await send({ events: createEvents(["begin"]) });
    for (const status of ["pending", "analyzed"]) {
      const [item] = await listAll(service, "/api/v1/sessions");
      const { session } = await readSession(service, id);
      expect(item.status).toBe(status);
      expect(session).toMatchObject(item);
      await advance(30 * MINUTE);
    }
  });
});

describe("an ended session", () => {
  const late = (n: number) => send({ events: [at(`late-${n}`, "move", NOW + n)] });

  it("is analyzed again once it was quiet for a minute after more data", async () => {
    await start();
    const id = await send({ events: createEvents(["begin"]), sessionEnded: true });
    await advance();
    // The clock stands still, so that the worker has nothing to do.
    for (const wait of [0, 30_000]) {
      service.clock.now += wait;
      await late(wait);
      const due = service.clock.now + MINUTE;
      expect(await readSessionRow(service, id)).toMatchObject({ status: "pending", analysis_due: due });
    }
    await advance(MINUTE);
    expect(await readStatus(id)).toBe("analyzed");
  });

  it("is analyzed for late data ten times, and then only for an operator", async () => {
    await start();
    const id = await send({
      ...{ events: createEvents(["begin"]), sessionEnded: true, sessionMetadata: { gameVersion: "1" } },
    });
    await advance();
    for (let n = 1; n <= 10; n += 1) {
      await late(n);
      await advance(MINUTE);
      expect([n, await readStatus(id)]).toEqual([n, "analyzed"]);
    }
    for (let n = 11; n <= 12; n += 1) {
      await late(n);
      await advance(MINUTE);
      const { session } = await readSession(service, id);
      expect([session.status, session.error]).toEqual([
        "failed",
        expect.stringMatching(/^More data arrived after 11 analyses/),
      ]);
    }
    const { json } = await service.get("/api/v1/status/maze");
    expect(json).toMatchObject({
      build: { failed: 1, failure: expect.stringMatching(/^More data arrived/) },
    });
    const report = { gameId: "maze", sessionId: id, title: "t", description: "d", idempotencyKey: "k" };
    expect((await service.post("/api/telemetry/bug-report", report)).status).toBe(200);
    await advance(MINUTE);
    expect(await readStatus(id)).toBe("failed");
    const row = await readSessionRow(service, id);
    await service.service.store.write((db) => retryAnalysis(db, row, service.clock.now));
    await advance();
    expect(await readStatus(id)).toBe("analyzed");
  });

  it("waits without a failed attempt while no worker can analyze it", async () => {
    await start();
    await service.analysis.stop();
    const id = await send({ events: createEvents(["begin"]), sessionEnded: true });
    const { work } = service.service;
    const run = () => Promise.reject(Object.assign(new Error("updated"), { code: UNAVAILABLE_CODE }));
    Object.assign(service.service, { work: { run } });
    for (let attempt = 0; attempt < 7; attempt += 1) {
      expect(await analyzeNext(service.service, "due")).toBe(true);
      expect(await analyzeNext(service.service, "due")).toBe(false);
      expect(await readSessionRow(service, id)).toMatchObject({ status: "pending", analysis_attempts: 0 });
      service.clock.now += MINUTE;
    }
    Object.assign(service.service, { work });
    expect(await analyzeNext(service.service, "due")).toBe(true);
    expect(await readStatus(id)).toBe("analyzed");
    service.faults.length = 0;
  });

  it("that gets data during its analysis does not start over at once", async () => {
    await start();
    const id = await send({ events: createEvents(["begin"]) });
    const { observer } = service.service;
    let analyses = 0;
    const analysis = async (session: string, run: () => Promise<void>) => {
      analyses += 1;
      await late(analyses);
      await observer.analysis(session, run);
    };
    Object.assign(service.service, { observer: { ...observer, analysis } });
    await send({ sessionEnded: true });
    // The worker, and not `drain`, which does not wait for quiet sessions.
    await expect.poll(async () => (await readSessionRow(service, id)).analysis_runs).toBe(1);
    expect(await readSessionRow(service, id)).toMatchObject({
      ...{ status: "pending", analysis_attempts: 0, analysis_due: service.clock.now + MINUTE },
    });
    expect(analyses).toBe(1);
    Object.assign(service.service, { observer });
  });
});

describe("the analysis", () => {
  it("takes over a session from a stopped service after its lease has expired", async () => {
    await start();
    const id = await send({ events: createEvents(["begin", "fail"]), sessionEnded: true });
    await advance();
    const { writeDb: write } = service.service.store;
    await write
      .updateTable("sessions")
      .set({ status: "processing", analysis_due: NOW, analysis_lease: NOW + MINUTE })
      .where("id", "=", id)
      .execute();
    await advance(MINUTE - 1);
    expect((await readSessionRow(service, id)).status).toBe("processing");
    await advance(1);
    expect((await readSessionRow(service, id)).status).toBe("analyzed");
  });

  it("is postponed if another server stores events while the session is analyzed", async () => {
    let [time, clockReads, otherWrite] = [NOW, Number.NEGATIVE_INFINITY, Promise.resolve()];
    const late = Array.from({ length: 8 }, (_, n) => at(`f${n}`, "death", NOW + n, { room: "late" }));
    const store = async (db: Db) => {
      const { game_id } = await db.selectFrom("sessions").select("game_id").executeTakeFirstOrThrow();
      const session = await db
        .selectFrom("sessions")
        .selectAll()
        .where("game_id", "=", game_id)
        .forUpdate()
        .executeTakeFirstOrThrow();
      const { id, next_batch: seq } = session;
      const { payload } = encodeBatch(late);
      await db
        .insertInto("event_batches")
        .values({ game_id, session_id: id, seq, event_count: late.length, payload, received_at: time })
        .execute();
      const changed = { next_batch: seq + 1, analysis_due: time + 30 * MINUTE, status: "pending" as const };
      await updateSession(db, session, changed, null);
    };
    const clock = {
      /** Read when the session is claimed, and again after its events are read. */
      get now() {
        clockReads += 1;
        if (clockReads === 2) otherWrite = service.service.store.write(store);
        return time;
      },
    };
    service = await startTestService({ clock });
    await service.addGame("maze");
    const id = await send({ events: createEvents(["begin"]) });
    time += 30 * MINUTE;
    clockReads = 0;
    await service.analysis.drain();
    await otherWrite;
    expect(clockReads).toBeGreaterThanOrEqual(2);
    expect(await readStatus(id)).toBe("pending");
    time += 30 * MINUTE;
    await service.analysis.drain();
    const { session, insights } = await readSession(service, id);
    expect(session.status).toBe("analyzed");
    expect(insights.map(({ tag }: { tag: string }) => tag)).toContain("difficulty-spike:late");
  });

  it("fails after five attempts with waits in between, also if new events arrive", async () => {
    await start();
    const id = await send({ events: createEvents(["begin"]) });
    const { observer } = service.service;
    const analysis = async () => {
      throw new Error("out of memory");
    };
    Object.assign(service.service, { observer: { ...observer, analysis } });
    await send({ sessionEnded: true });
    const statuses = [];
    for (let n = 0; n < 5; n += 1) {
      await advance(n === 0 ? 0 : MINUTE);
      statuses.push((await readSessionRow(service, id)).status);
      await advance();
    }
    expect(statuses).toEqual(["pending", "pending", "pending", "pending", "failed"]);
    expect(service.faults).toHaveLength(10);
    service.faults.length = 0;
    Object.assign(service.service, { observer });
    await advance(60 * MINUTE);
    expect(await readStatus(id)).toBe("failed");
    service.service.seenIds.forget(id);
    await send({ events: [at("new", "move", NOW)] });
    await advance();
    expect(await readStatus(id)).toBe("failed");
  });
});

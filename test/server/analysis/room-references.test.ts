/** Usual room times: which build and sessions they rest on, and which sessions are analyzed again when they change. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readUsualRoomTimes, updateRoomReferences } from "../../../src/server/analysis/room-references.ts";
import { replaceRoomTimes } from "../../../src/server/analysis/room-time-queries.ts";
import { noopObserver } from "../../../src/server/core/observer.ts";
import type { Store } from "../../../src/server/db/store.ts";
import { NOW, openTestStore, startTestService, type TestService } from "../../harness.ts";
import { createRandom } from "../../random.ts";
import { readSession, sendTelemetry } from "../telemetry-helpers.ts";

const SECOND = 1000;

describe("the reference of a room", () => {
  let store: Store;
  let nextId = 0;
  beforeEach(async () => {
    store = await openTestStore(":memory:");
    nextId = 0;
  });
  afterEach(() => store.close());

  interface Stay {
    readonly id?: string;
    readonly build?: string;
    readonly environment?: string;
    /** Minutes after NOW. */
    readonly minute?: number;
    readonly room?: string;
  }

  /** Stores the time of a session in a room, or removes it with null. Returns the id of the session. */
  async function stay(seconds: number | null, options: Stay = {}): Promise<string> {
    nextId += 1;
    const { id = `sess_${String(nextId).padStart(4, "0")}`, room = "cave", minute = nextId } = options;
    const { build = "1.0", environment = "production" } = options;
    const session = {
      ...{ game_id: "game", id, build, environment, tester: id },
      recorded_at: NOW + minute * 60_000,
    };
    const outcome = { after_ms: 0, active_ms: 0, completed: 1, failed: 0, quit: 0, gave_up: 0 };
    const times = new Map(
      seconds === null ? [] : [[room, { ms: seconds * SECOND, longest_ms: seconds * SECOND, ...outcome }]],
    );
    await store.write(async (db) => {
      await updateRoomReferences(db, session, await replaceRoomTimes(db, session, times));
    });
    return id;
  }

  async function stayAll(seconds: readonly number[], options: Stay = {}): Promise<string[]> {
    const ids = [];
    for (const each of seconds) ids.push(await stay(each, options));
    return ids;
  }

  async function usual(id = "sess_x", environment = "production", room = "cave") {
    const session = { game_id: "game", environment, id };
    return (await readUsualRoomTimes(store.readDb, session, [room])).get(room);
  }

  it("is based on the first 5, 10, 20, 40, 80 or 160 sessions of a build", async () => {
    const sizes: [number, number][] = [];
    for (let count = 1; count <= 165; count += 1) {
      await stay(count);
      const sessions = (await usual())?.sessions ?? 0;
      if (sessions !== (sizes.at(-1)?.[1] ?? 0)) sizes.push([count, sessions]);
    }
    expect(sizes).toEqual([
      [6, 5],
      [11, 10],
      [21, 20],
      [41, 40],
      [81, 80],
      [161, 160],
    ]);
    expect(await usual()).toMatchObject({ medianMs: 80.5 * SECOND, build: "1.0", environment: "production" });
  });

  it("compares every session with the same number of others, and never with itself", async () => {
    const [first = "", ...others] = await stayAll([100, 10, 20, 30, 40, 50]);
    expect(await usual(first)).toMatchObject({ sessions: 5, medianMs: 30 * SECOND });
    expect(await usual(others.at(-1))).toMatchObject({ sessions: 5, medianMs: 30 * SECOND });
    expect(await usual()).toMatchObject({ sessions: 5, medianMs: 30 * SECOND });
  });

  it("is the build that had enough sessions first, in any order of arrival", async () => {
    await stayAll([10, 10, 10, 10, 10, 10], { build: "2.0", minute: 100 });
    expect(await usual()).toMatchObject({ build: "2.0", medianMs: 10 * SECOND });
    await stayAll([30, 30, 30, 30, 30], { build: "1.0", minute: 50 });
    expect((await usual())?.build).toBe("2.0");
    await stay(30, { build: "1.0", minute: 90 });
    expect(await usual()).toMatchObject({ build: "1.0", medianMs: 30 * SECOND });
    await stayAll([50, 50, 50, 50, 50, 50], { build: "3.0", minute: 80 });
    expect(await usual()).toMatchObject({ build: "3.0", medianMs: 50 * SECOND });
  });

  it("is not changed by one session of another build with a very early time", async () => {
    await stayAll([10, 10, 10, 10, 10, 10], { build: "1.0", minute: 100 });
    await stayAll([50, 50, 50, 50, 50, 50], { build: "2.0", minute: 200 });
    await stay(50, { build: "2.0", minute: -10_000_000 });
    expect(await usual()).toMatchObject({ build: "1.0", medianMs: 10 * SECOND });
    // The same if the reference is chosen among all builds again.
    const again = await stay(10, { build: "1.0", minute: 101 });
    await stay(null, { id: again, build: "1.0", minute: 101 });
    expect((await usual())?.build).toBe("1.0");
    await stayAll([90, 90, 90, 90, 90, 90], { build: "3.0", minute: 300 });
    await stay(null, { id: "sess_0001", build: "1.0", minute: 100 });
    expect((await usual())?.build).toBe("2.0");
  });

  it("changes to the next build if the build no longer has enough sessions", async () => {
    const [first = ""] = await stayAll([10, 10, 10, 10, 10, 10], { build: "1.0", minute: 1 });
    await stayAll([20, 20, 20, 20, 20, 20], { build: "2.0", minute: 2 });
    await stayAll([30, 30, 30, 30, 30, 30], { build: "3.0", minute: 3 });
    expect((await usual())?.build).toBe("1.0");
    await stay(null, { id: first, build: "1.0", minute: 1 });
    expect((await usual())?.build).toBe("2.0");
    await stay(10, { id: first, build: "1.0", minute: 1 });
    expect((await usual())?.build).toBe("1.0");
  });

  it("does not pool environments or rooms", async () => {
    await stayAll([10, 10, 10, 10, 10, 10], { environment: "staging" });
    await stayAll([10, 10, 10], {});
    await stayAll([10, 10, 10], { room: "hall" });
    expect(await usual()).toBeUndefined();
    expect(await usual("sess_x", "production", "hall")).toBeUndefined();
    expect(await usual("sess_x", "staging")).toMatchObject({ environment: "staging", sessions: 5 });
  });

  it("uses the first sessions by the time they were recorded", async () => {
    await stayAll([10, 10, 10, 10, 10, 10], { minute: 100 });
    await stayAll([70, 70, 70], { minute: 1 });
    expect(await usual()).toMatchObject({ sessions: 5, medianMs: 70 * SECOND });
  });
});

describe("sessions in rooms with a reference", () => {
  let service: TestService;
  let analyzed: string[];
  beforeEach(async () => {
    analyzed = [];
    const analysis = async (id: string, analyze: () => Promise<void>) => {
      analyzed.push(id);
      await analyze();
    };
    const dependencies = { observer: { ...noopObserver, analysis }, now: () => NOW };
    service = await startTestService({ sharesDatabase: true, dependencies });
    await service.addGame("ember");
  });
  afterEach(async () => {
    await service.stop();
    expect(service.faults).toEqual([]);
  });

  interface Visit {
    readonly id: string;
    readonly build: string;
    readonly environment: string;
    readonly minute: number;
    readonly seconds: number;
  }

  /** Sends a session that spends some time in one room. */
  async function visit({ id, build, environment, minute, seconds }: Visit): Promise<string> {
    const startedAt = NOW - 86_400_000 + minute * 60_000;
    const at = (second: number) => ({ timestamp: startedAt + second * SECOND, data: { room: "cave" } });
    return await sendTelemetry(service, {
      ...{ gameId: "ember", clientSessionId: id, deviceId: id, environment, startedAt, sessionEnded: true },
      sessionMetadata: { gameVersion: build, platform: "linux" },
      events: [
        ...Array.from({ length: seconds / 10 }, (_, n) => ({ id: `e${n}`, name: "press", ...at(n * 10) })),
        { id: "end", name: "complete", ...at(seconds) },
      ],
    });
  }

  it("include slow sessions of the first build, once there is a reference", async () => {
    const first = { build: "1.0", environment: "production" };
    const slow = await visit({ ...first, id: "slow", minute: 0, seconds: 400 });
    const others = [];
    for (let n = 1; n <= 5; n += 1)
      others.push(await visit({ ...first, id: `c${n}`, minute: n, seconds: 20 }));
    await service.analysis.drain();
    const { insights } = await readSession(service, slow);
    expect(insights).toContainEqual(expect.objectContaining({ tag: "stuck-point:cave" }));
    // Only the slow session is analyzed twice.
    expect(analyzed.toSorted()).toEqual([slow, slow, ...others].toSorted());
  });

  it("have the same insights in any order of arrival", async () => {
    const random = createRandom(18);
    const visits = Array.from({ length: 60 }, (_, n): Visit => {
      const late = Math.floor(n / 15);
      return {
        ...{ id: `c${n}`, build: `${late + 1}.0`, environment: n % 4 === 0 ? "staging" : "production" },
        ...{ minute: n, seconds: random() < 0.2 ? 300 + Math.floor(random() * 30) * 10 : 20 + late * 20 },
      };
    });
    const results = [];
    for (const gameId of ["a", "b", "c"]) {
      await service.stop();
      service = await startTestService({ sharesDatabase: true });
      await service.addGame("ember");
      const shuffled = visits.map((each) => ({ each, key: gameId === "a" ? each.minute : random() }));
      const found: Record<string, unknown> = {};
      const ids = new Map<string, string>();
      for (const { each } of shuffled.sort((x, y) => x.key - y.key)) {
        ids.set(each.id, await visit(each));
        if (random() < 0.3) await service.analysis.drain();
      }
      await service.analysis.drain();
      for (const { id } of visits) {
        const { insights } = await readSession(service, ids.get(id) ?? "");
        found[id] = insights
          .map(({ tag, title, evidence }: Record<string, string>) => [tag, title, evidence])
          .sort();
      }
      results.push(found);
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect(JSON.stringify(results[0])).toContain("stuck-point:cave");
  });

  it("are all queued if there are more than in one step", async () => {
    const { writeDb, readDb } = service.service.store;
    const base = { build: "2.0", environment: "production" };
    const slow = await visit({ ...base, id: "slow", minute: 500, seconds: 400 });
    await service.analysis.drain();
    const row = await readDb
      .selectFrom("sessions")
      .selectAll()
      .where("id", "=", slow)
      .executeTakeFirstOrThrow();
    const copies = Array.from({ length: 250 }, (_, n) => {
      const id = `sess_copy${String(n).padStart(4, "0")}`;
      return { ...row, id, client_session_id: id, next_batch: 0, item: row.item.replace(slow, id) };
    });
    for (const copy of copies) {
      await writeDb.insertInto("sessions").values(copy).execute();
      const { game_id, build, environment, recorded_at } = row;
      const time = {
        game_id,
        session_id: copy.id,
        room: "cave",
        build,
        environment,
        ms: 400_000,
        longest_ms: 400_000,
        recorded_at,
      };
      await writeDb.insertInto("room_times").values(time).execute();
    }
    for (let n = 1; n <= 6; n += 1)
      await visit({ ...base, build: "1.0", id: `c${n}`, minute: n, seconds: 20 });
    analyzed = [];
    await service.analysis.drain();
    expect(new Set(analyzed).size).toBe(6 + 1 + copies.length);
    expect(analyzed).toHaveLength(6 + 1 + copies.length);
  });
});

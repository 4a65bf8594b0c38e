/** What an analysis stores beside its insights: outcomes in rooms, when a finding had shown, and whether the game crashed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyze } from "../../../src/server/analysis/analyst.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";
import { type Step, toRecordedSession } from "./recorded-sessions.ts";

describe("the service stores", () => {
  let service: TestService;
  let sessions = 0;

  /** Sends a session with one event every 10 s, each as `name room`, and returns its id. */
  async function play(...steps: readonly string[]): Promise<string> {
    const events = steps.map((step, at) => {
      const [name = "", room] = step.split(" ");
      return { id: `e${at}`, name, timestamp: NOW + at * 10_000, data: { room } };
    });
    sessions += 1;
    const id = await sendTelemetry(service, {
      ...{ gameId: "maze", clientSessionId: `s${sessions}`, sessionEnded: true },
      events,
    });
    await service.analysis.drain();
    return id;
  }

  const readRooms = async (id: string) =>
    await service.service.store.readDb
      .selectFrom("room_times")
      .select(["room", "after_ms", "active_ms", "completed", "failed", "quit", "gave_up"])
      .where("session_id", "=", id)
      .orderBy("after_ms")
      .execute();

  const readInsights = async (id: string) =>
    await service.service.store.readDb
      .selectFrom("insights")
      .select(["tag", "after_ms"])
      .where("session_id", "=", id)
      .orderBy("tag")
      .execute();

  beforeAll(async () => {
    service = await startTestService();
    await service.addGame("maze");
  });

  afterAll(async () => {
    expect(service.faults).toEqual([]);
    await service.stop();
  });

  it("the outcome in each room, and when each finding had shown", async () => {
    const id = await play(
      "begin hall",
      "level_completed hall",
      "begin attic",
      "death attic",
      "rage_quit attic",
    );
    expect(await readRooms(id)).toEqual([
      { room: "hall", after_ms: 0, active_ms: 20_000, completed: 1, failed: 0, quit: 0, gave_up: 0 },
      { room: "attic", after_ms: 20_000, active_ms: 20_000, completed: 0, failed: 1, quit: 1, gave_up: 1 },
    ]);
    expect(await readInsights(id)).toEqual([
      { tag: "negative-moment:attic", after_ms: 40_000 },
      { tag: "session-summary:session", after_ms: null },
    ]);
    expect((await readSessionRow(service, id)).crashed).toBe(0);
  });

  it("that a session crashed, which then did not quit", async () => {
    const id = await play("begin hall", "crash_reported hall");
    expect(await readRooms(id)).toMatchObject([{ room: "hall", completed: 0, quit: 0 }]);
    expect((await readSessionRow(service, id)).crashed).toBe(1);
  });
});

describe("a finding had shown", () => {
  /** The active time at which the findings of each tag had shown, in s. */
  function shown(steps: readonly Step[], extra: Parameters<typeof toRecordedSession>[1] = {}) {
    const found = analyze(toRecordedSession(steps, extra)).flatMap(({ tag, afterMs }) =>
      afterMs === undefined ? [] : [[tag, afterMs / 1000] as const],
    );
    return Object.fromEntries(found);
  }

  const every10s = (count: number, name: string): Step[] =>
    Array.from({ length: count }, (_, at): Step => [at * 10, name, "hall"]);

  it("with the failure that makes a spike, whatever follows", () => {
    expect(shown(every10s(9, "death"))).toMatchObject({ "difficulty-spike:hall": 40 });
  });

  it("with the third drop of the frame rate, and with the first crash", () => {
    expect(shown(every10s(5, "fps_drop"))).toEqual({ "bug-report:frame-rate-hall": 20 });
    expect(shown([[0, "begin", "hall"], ...every10s(4, "crash_reported").slice(1)])).toMatchObject({
      "bug-report:hall": 10,
    });
  });

  it("when the time in a room was too long", () => {
    const usual = { medianMs: 20_000, sessions: 5, build: "1", environment: "production" };
    const usualRoomTimes = new Map([["hall", usual]]);
    expect(shown(every10s(30, "press"), { usualRoomTimes })).toMatchObject({ "stuck-point:hall": 120 });
  });

  it("at no moment, if it is an answer", () => {
    const feedback = [{ id: "resp_1", fieldId: "fun", label: "Fun?", kind: "rating-1-5", value: "1" }];
    expect(shown([[0, "begin", "hall"]], { feedback })).toEqual({});
  });
});

/** Frame times, memory and load times: what the service accepts, stores and reports. */
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { measurePerformance } from "../../../src/server/analysis/performance.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

const session = { metadata: JSON.stringify({ gameVersion: "1.0", platform: "windows" }) };

const measure = (...data: readonly Record<string, unknown>[]) =>
  measurePerformance(
    session,
    data.map((one, at) => ({ id: `e${at}`, name: "performance", timestamp: NOW + at, data: one })),
  )?.rooms;

describe("the performance of a session", () => {
  test("is merged by room", () => {
    expect(
      measure(
        { room: "dock", frames: [1, 2], memoryMb: 400, loadMs: 100 },
        { room: "dock", frames: [0, 3, 4], memoryMb: 300, loadMs: 200 },
        { frames: [5] },
      ),
    ).toEqual([
      { room: "dock", frames: [1, 5, 4], memoryMb: 400, loadMs: 150 },
      { room: null, frames: [5], memoryMb: null, loadMs: null },
    ]);
  });

  test("has no values that are none", () => {
    const room = "dock";
    expect(measure({ room }, { room, frames: [] }, { room, frames: "1" }, { room, frames: [1, -1] })).toBe(
      undefined,
    );
    expect(measure({ room, frames: [0.5] }, { room, frames: new Array(17).fill(1) })).toBe(undefined);
    expect(measure({ room, memoryMb: -1 }, { room, loadMs: 1e9 }, { room, frames: [1e300] })).toBe(undefined);
    expect(measure({ room, memoryMb: 5, loadMs: null })).toEqual([
      { room, frames: [], memoryMb: 5, loadMs: null },
    ]);
  });

  test("has no names of rooms that are too long", () => {
    expect(
      measure({ room: "x".repeat(64), memoryMb: 1 }, { room: "x".repeat(65), memoryMb: 2 }),
    ).toMatchObject([{ room: "x".repeat(64) }, { room: null, memoryMb: 2 }]);
  });

  test("covers at most 50 rooms", () => {
    const rooms = Array.from({ length: 300 }, (_, at) => ({ room: `room-${at}`, frames: [1] }));
    expect(measure(...rooms, { room: "room-0", frames: [1] })?.[0]?.frames).toEqual([2]);
    expect(measure(...rooms)).toHaveLength(50);
  });
});

describe("the service", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
    await service.addGame("maze");
  });

  afterAll(async () => {
    expect(service.faults).toEqual([]);
    await service.stop();
  });

  it("reports it in the facts, and does not take it for a visit to a room", async () => {
    const event = (name: string, sec: number, data: Record<string, unknown>) => ({
      ...{ id: `${name}-${sec}`, name, timestamp: NOW + sec * 1000, data },
    });
    await sendTelemetry(service, {
      ...{ gameId: "maze", clientSessionId: "s1", deviceId: "device", sessionEnded: true },
      sessionMetadata: { gameVersion: "1.0", platform: "windows" },
      events: [
        event("level_start", 0, { room: "hall" }),
        event("level_start", 60, { room: "attic" }),
        event("performance", 61, { room: "hall", frames: [0, 0, 0, 0, 0, 0, 3600, 0, 9], memoryMb: 512 }),
        event("death", 90, { room: "attic" }),
      ],
    });
    await service.analysis.drain();
    const { json } = await service.get("/api/v1/builds/maze/1.0/facts");
    expect(json.testers[0].sessions).toMatchObject([
      {
        rooms: [{ room: "hall" }, { room: "attic", activeSec: 30, quit: true }],
        performance: {
          platform: "windows",
          rooms: [{ room: "hall", frames: [0, 0, 0, 0, 0, 0, 3600, 0, 9], memoryMb: 512, loadMs: null }],
        },
      },
    ]);
  });
});

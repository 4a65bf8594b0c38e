/** Which session a body goes to, and what is told of it when it is made. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { play, read } from "../telemetry-helpers.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
  await service.addGame("tower");
});

afterAll(() => service.stop());

describe("the session", () => {
  it("is the same for the same client's id, and another in another game", async () => {
    const one = await play(service, { gameId: "maze", clientSessionId: "c1", title: "First" });
    expect(await play(service, { gameId: "maze", clientSessionId: "c1", title: "Second" })).toBe(one);
    expect(await play(service, { gameId: "tower", clientSessionId: "c1" })).not.toBe(one);
    expect((await read(service, one)).session.title).toBe("First");
  });

  it("is the one named by its id, whatever else is said", async () => {
    const one = await play(service, { gameId: "maze" });
    expect(await play(service, { gameId: "maze", sessionId: one, clientSessionId: "another" })).toBe(one);
  });

  it("is a new one each time nobody names it", async () => {
    expect(await play(service, { gameId: "maze" })).not.toBe(await play(service, { gameId: "maze" }));
  });

  it("is made once when two create it at the same time", async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => play(service, { gameId: "maze", clientSessionId: "race" })),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it("has what was told at its creation, and defaults for the rest", async () => {
    const told = {
      deviceId: "d",
      testerHandle: "h",
      title: "t",
      source: "obs",
      environment: "beta",
      startedAt: NOW - 5,
      sessionMetadata: { gameVersion: "1", platform: "p", extra: [1, { a: null }] },
    };
    const { session } = await read(service, await play(service, { gameId: "maze", ...told }));
    expect(session).toMatchObject({
      deviceId: "d",
      testerHandle: "h",
      title: "t",
      source: "obs",
      environment: "beta",
      recordedAt: NOW - 5,
      metadata: told.sessionMetadata,
    });
    const { session: bare } = await read(service, await play(service, { gameId: "maze" }));
    expect(bare).toMatchObject({
      deviceId: null,
      testerHandle: null,
      source: "typescript-telemetry",
      environment: "production",
      recordedAt: service.clock.now,
      duration: 0,
      status: "pending",
      transcript: null,
      event_counts: {},
      summaryState: null,
      feedback: [],
      metadata: { gameVersion: "unknown", platform: "unknown" },
    });
    expect(bare.title).not.toBe("");
  });
});

it("reported no fault of its own", () => {
  expect(service.faults).toEqual([]);
});

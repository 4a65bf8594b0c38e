/** The session of a telemetry body: how it is found, and the values that it is created with. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { readSession, sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
  await service.addGame("tower");
});

afterAll(() => service.stop());

describe("the session of a body", () => {
  it("is the same for the same clientSessionId, but not in another game", async () => {
    const one = await sendTelemetry(service, { gameId: "maze", clientSessionId: "c1", title: "First" });
    expect(await sendTelemetry(service, { gameId: "maze", clientSessionId: "c1", title: "Second" })).toBe(
      one,
    );
    expect(await sendTelemetry(service, { gameId: "tower", clientSessionId: "c1" })).not.toBe(one);
    expect((await readSession(service, one)).session.title).toBe("First");
  });

  it("is the one with the given sessionId, even if the clientSessionId differs", async () => {
    const one = await sendTelemetry(service, { gameId: "maze" });
    expect(await sendTelemetry(service, { gameId: "maze", sessionId: one, clientSessionId: "another" })).toBe(
      one,
    );
  });

  it("is a new session if the body has no id", async () => {
    expect(await sendTelemetry(service, { gameId: "maze" })).not.toBe(
      await sendTelemetry(service, { gameId: "maze" }),
    );
  });

  it("is created once by concurrent requests", async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => sendTelemetry(service, { gameId: "maze", clientSessionId: "race" })),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it("has the values of the request that created it, with defaults for missing values", async () => {
    const values = {
      deviceId: "d",
      testerHandle: "h",
      title: "t",
      source: "obs",
      environment: "beta",
      startedAt: NOW - 5,
      sessionMetadata: { gameVersion: "1", platform: "p", extra: [1, { a: null }] },
    };
    const { session } = await readSession(
      service,
      await sendTelemetry(service, { gameId: "maze", ...values }),
    );
    expect(session).toMatchObject({
      deviceId: "d",
      testerHandle: "h",
      title: "t",
      source: "obs",
      environment: "beta",
      recordedAt: NOW - 5,
      metadata: values.sessionMetadata,
    });
    const { session: bare } = await readSession(service, await sendTelemetry(service, { gameId: "maze" }));
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

it("reports no faults", () => {
  expect(service.faults).toEqual([]);
});

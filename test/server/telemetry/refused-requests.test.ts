/** A request whose events are all refused creates no session. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { type Body, readSession, readSessionRow } from "../telemetry-helpers.ts";

let service: TestService;

afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const bad = (id: string) => ({ id, name: "jump", timestamp: 5 });
const good = (id: string) => ({ id, name: "jump", timestamp: NOW });

async function send(body: Body) {
  const answer = await service.post("/api/telemetry", { gameId: "maze", deviceId: "dev_1", ...body });
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  return answer.json;
}

const countSessions = async () => (await service.get("/api/v1/sessions?game=maze")).json.total;

describe("a request whose events are all refused", () => {
  beforeEach(async () => {
    service = await startTestService();
    await service.addGame("maze");
  });

  it.each([
    ["without an id", {}],
    ["with a client session id", { clientSessionId: "one" }],
    ["that ends the session", { clientSessionId: "one", sessionEnded: true, experimentTags: { exp: "a" } }],
  ])("creates no session %s", async (_what, more) => {
    const receipt = await send({ ...more, events: [bad("a"), 7] });
    expect(receipt).toMatchObject({ sessionId: null, accepted: 0, duplicates: 0 });
    expect(receipt.rejected.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
    expect(await countSessions()).toBe(0);
    await service.service.arrivals.flush();
    const { items } = (await service.get("/api/v1/telemetry/tail")).json;
    expect(items).toMatchObject([
      { sessionId: null, deviceId: "dev_1", refusal: { reason: "event_timestamp" } },
      { sessionId: null, deviceId: "dev_1", refusal: { reason: "event_not_object" } },
    ]);
  });

  it("still changes an existing session", async () => {
    const { sessionId } = await send({ clientSessionId: "one", events: [good("a")] });
    const receipt = await send({ clientSessionId: "one", events: [bad("b")], sessionEnded: true });
    expect(receipt).toMatchObject({ sessionId, accepted: 0, rejected: [{ index: 0 }] });
    expect((await readSessionRow(service, sessionId)).ended).toBe(1);
  });

  it("creates a session if it has no events, or if one of them is accepted", async () => {
    expect((await send({ events: [] })).sessionId).toMatch(/^sess_/);
    const { sessionId } = await send({ clientSessionId: "one", events: [bad("a"), good("b")] });
    expect((await readSession(service, sessionId)).session.event_counts).toEqual({ jump: 1 });
  });
});

describe("a request whose events are refused by a budget or a limit", () => {
  it("creates no session if the session has no space for any of them", async () => {
    service = await startTestService({ sessionLimits: { events: 10, bytes: 50 } });
    await service.addGame("maze");
    const events = [{ ...good("a"), data: { text: "x".repeat(200) } }];
    expect(await send({ clientSessionId: "one", events })).toMatchObject({
      ...{ sessionId: null, accepted: 0 },
      rejected: [{ index: 0, error: "session is full: it may have 50 bytes" }],
    });
    expect(await countSessions()).toBe(0);
    expect((await send({ clientSessionId: "one", events: [] })).sessionId).toMatch(/^sess_/);
  });
});

/** A client session id that several devices use: each device has a session of its own. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deleteSession } from "../../../src/server/erasure/delete-session.ts";
import { moveSessions } from "../../../src/server/quarantine/quarantine.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { readSession, readSessionRow } from "../telemetry-helpers.ts";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const jump = (id: string) => ({ id, name: "jump", timestamp: NOW });

async function send(deviceId: string | undefined, ids: readonly string[], more: object = {}) {
  const body = { gameId: "maze", clientSessionId: "same", deviceId, events: ids.map(jump), ...more };
  const answer = await service.post("/api/telemetry", body);
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  return answer.json;
}

const WARNING = "clientSessionId is used by another device";

describe("a client session id that a second device uses", () => {
  it("names a session of its own for each device, also when requests are sent again", async () => {
    const one = await send("dev_1", ["a", "b"]);
    const two = await send("dev_2", ["a", "b"]);
    const three = await send("dev_3", ["a"]);
    expect(new Set([one, two, three].map(({ sessionId }) => sessionId)).size).toBe(3);
    expect(one).not.toHaveProperty("warnings");
    expect(two).toMatchObject({ accepted: 2, duplicates: 0, warnings: [expect.stringContaining(WARNING)] });
    expect(await send("dev_2", ["a", "b", "c"])).toMatchObject({
      ...{ sessionId: two.sessionId, accepted: 1, duplicates: 2 },
      warnings: [expect.stringContaining(WARNING)],
    });
    expect(await send("dev_1", ["a", "b"])).toEqual({ ...one, accepted: 0, duplicates: 2 });
    const { session } = await readSession(service, two.sessionId);
    expect(session).toMatchObject({ deviceId: "dev_2", event_counts: { jump: 3 } });
  });

  it("names one session for each device if the first requests arrive at the same time", async () => {
    const devices = Array.from({ length: 12 }, (_, n) => `dev_${n % 3}`);
    const receipts = await Promise.all(devices.map((device, n) => send(device, [`e${n}`])));
    const sessions = new Set(receipts.map(({ sessionId }, n) => `${devices[n]} ${sessionId}`));
    expect(sessions.size).toBe(3);
    expect(new Set(receipts.map(({ sessionId }) => sessionId)).size).toBe(3);
  });

  it("names the first session for requests without a device, and for all requests if that one has none", async () => {
    const one = await send("dev_1", ["a"]);
    expect(await send(undefined, ["b"])).toMatchObject({ sessionId: one.sessionId, accepted: 1 });
    const open = await send(undefined, ["a"], { clientSessionId: "open" });
    const joined = await send("dev_2", ["b"], { clientSessionId: "open" });
    expect(joined).toEqual({ ...open, accepted: 1 });
  });

  it("keeps the session of the second device if the first one is deleted", async () => {
    const one = await send("dev_1", ["a"]);
    const two = await send("dev_2", ["a"]);
    await deleteSession(service.service, service.accountId, await readSessionRow(service, one.sessionId));
    expect(await send("dev_2", ["a", "b"])).toMatchObject({ sessionId: two.sessionId, accepted: 1 });
    await deleteSession(service.service, service.accountId, await readSessionRow(service, two.sessionId));
    const body = { gameId: "maze", clientSessionId: "same", deviceId: "dev_2", events: [jump("a")] };
    expect((await service.post("/api/telemetry", body)).json).toMatchObject({ reason: "erased" });
  });

  it("is free for devices that never had the session of the erased holder", async () => {
    const one = await send("dev_1", ["a"]);
    await deleteSession(service.service, service.accountId, await readSessionRow(service, one.sessionId));
    const three = await send("dev_3", ["a"]);
    expect(three).toMatchObject({ accepted: 1, warnings: [expect.stringContaining(WARNING)] });
    expect(three.sessionId).not.toBe(one.sessionId);
    expect(await send("dev_3", ["a", "b"])).toMatchObject({ sessionId: three.sessionId, accepted: 1 });
    const refusedFor = async (deviceId?: string) => {
      const body = { gameId: "maze", clientSessionId: "same", deviceId, events: [jump("a")] };
      return (await service.post("/api/telemetry", body)).json;
    };
    expect(await refusedFor("dev_1")).toMatchObject({ reason: "erased" });
    expect(await refusedFor()).toMatchObject({ reason: "erased" });
    await deleteSession(service.service, service.accountId, await readSessionRow(service, three.sessionId));
    expect(await refusedFor("dev_3")).toMatchObject({ reason: "erased" });
    expect(await send("dev_4", ["a"])).toMatchObject({ accepted: 1 });
  });

  it("stays erased for every device if its holder had none", async () => {
    const open = await send(undefined, ["a"]);
    await deleteSession(service.service, service.accountId, await readSessionRow(service, open.sessionId));
    const body = { gameId: "maze", clientSessionId: "same", deviceId: "dev_3", events: [jump("a")] };
    expect((await service.post("/api/telemetry", body)).json).toMatchObject({ reason: "erased" });
  });

  it("stays erased after the holder of the id was deleted without a trace", async () => {
    const one = await send("dev_1", ["a"]);
    const two = await send("dev_2", ["a"]);
    await deleteSession(service.service, service.accountId, await readSessionRow(service, two.sessionId));
    await service.service.store.writeDb.deleteFrom("sessions").where("id", "=", one.sessionId).execute();
    const body = { gameId: "maze", clientSessionId: "same", deviceId: "dev_2", events: [jump("a")] };
    expect((await service.post("/api/telemetry", body)).json).toMatchObject({ reason: "erased" });
  });

  it("stays apart in a quarantine, and after a release", async () => {
    const one = await send("dev_1", ["a"]);
    const { game_id: gameId } = await readSessionRow(service, one.sessionId);
    const move = (isRelease: boolean) =>
      moveSessions(service.service, {
        ...{ gameId, filter: {}, onFirst: async () => {}, onStep: async () => {} },
        quarantine: isRelease ? null : { id: "qua_1", at: service.clock.now },
      });
    await move(false);
    const two = await send("dev_2", ["a"]);
    expect(two).toMatchObject({ accepted: 1, warnings: [expect.stringContaining(WARNING)] });
    await move(false);
    expect(await send("dev_2", ["a", "b"])).toMatchObject({ sessionId: two.sessionId, accepted: 1 });
    expect(await send("dev_1", ["a", "b"])).toMatchObject({ sessionId: one.sessionId, accepted: 1 });
    await move(true);
    expect(await send("dev_2", ["b", "c"])).toMatchObject({ sessionId: two.sessionId, accepted: 1 });
    expect(await send("dev_1", ["b", "c"])).toMatchObject({ sessionId: one.sessionId, accepted: 1 });
  });

  it("appears in the live tail with its reason", async () => {
    await send("dev_1", ["a"]);
    const { sessionId } = await send("dev_2", ["a"]);
    await service.service.arrivals.flush();
    const { items } = (await service.get("/api/v1/telemetry/tail?kind=warning")).json;
    expect(items).toMatchObject([
      {
        ...{ kind: "warning", sessionId, deviceId: "dev_2", event: null },
        refusal: { reason: "client_session_shared", status: 202, index: null, name: null },
      },
    ]);
    expect(items[0].refusal.message).toContain(WARNING);
    expect((await service.get("/api/v1/telemetry/tail?kind=refusal")).json.items).toEqual([]);
    expect((await service.get("/api/v1/telemetry/tail?kind=event")).json.items).toHaveLength(2);
    expect((await service.get("/api/v1/telemetry/refusals")).json.total).toBe(0);
  });
});

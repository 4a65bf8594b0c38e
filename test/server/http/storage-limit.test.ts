/** The maximum size of the database: writes that add data get 507, and everything else works. */
import { afterEach, describe, expect, it } from "vitest";
import { StorageLimit } from "../../../src/server/db/storage-limit.ts";
import { deleteSession } from "../../../src/server/erasure/delete-session.ts";
import { engine, NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, readSessionRow } from "../telemetry-helpers.ts";

let service: TestService;

afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function start(maxDatabaseBytes?: number): Promise<void> {
  service = await startTestService({ maxDatabaseBytes, clock: { now: NOW, elapsed: 0 } });
  await service.addGame("maze");
}

const sendEvents = (n: number, text = "") =>
  service.post("/api/telemetry", {
    gameId: "maze",
    clientSessionId: `session-${n}`,
    deviceId: `dev_${n}`,
    events: createEvents(["begin", "end"]).map((event) => ({ ...event, data: { text } })),
  });

describe("a database that has its maximum size", () => {
  it("refuses telemetry, feedback, bug reports and tester links with 507, and answers reads", async () => {
    await start(1);
    for (const path of ["", "/feedback", "/bug-report", "/claim"]) {
      const { status, json } = await service.post(`/api/telemetry${path}`, { gameId: "maze" });
      expect([path, status, json]).toEqual([
        path,
        507,
        { error: "The database has reached its maximum size" },
      ]);
    }
    for (const path of ["/api/v1/games", "/api/v1/sessions", "/readyz"])
      expect([path, (await service.get(path)).status]).toEqual([path, 200]);
    expect((await service.get("/api/v1/games")).json.games).toHaveLength(1);
  });

  it("is named by the refusals of the tail", async () => {
    await start(1);
    await sendEvents(1);
    await service.service.arrivals.flush();
    const { json } = await service.get("/api/v1/telemetry/tail?kind=refusal");
    expect(json.items).toMatchObject([{ refusal: { reason: "storage_full", status: 507 } }]);
  });

  it("accepts telemetry again after data was deleted", async () => {
    await start();
    const empty = await service.service.storage.measure();
    await service.stop();
    await start(empty + 400_000);
    const noise = () => Array.from({ length: 5000 }, () => Math.random().toString(36).slice(2)).join(" ");
    const ids: string[] = [];
    for (let n = 0; n < 100; n += 1) {
      service.clock.elapsed = (service.clock.elapsed ?? 0) + 2000;
      const { status, json } = await sendEvents(n, noise());
      if (status === 507) break;
      expect(status).toBe(202);
      ids.push(json.sessionId);
    }
    expect(ids.length).toBeGreaterThan(1);
    expect(ids.length).toBeLessThan(50);
    // A Postgres server reuses the space of deleted rows, and rarely returns it.
    if (engine !== "sqlite") return;
    for (const id of ids)
      await deleteSession(service.service, service.accountId, await readSessionRow(service, id));
    service.clock.elapsed = (service.clock.elapsed ?? 0) + 2000;
    expect((await sendEvents(1000)).status).toBe(202);
  });
});

it("measures the size at most every two seconds, and again after a failure", async () => {
  await start();
  let [measured, now] = [0, 0];
  const measureSize = async () => {
    measured += 1;
    if (measured === 1) throw new Error("no answer");
    return 10 * measured;
  };
  const storage = new StorageLimit({ measureSize }, { maxBytes: 30, monotonicNow: () => now });
  await expect(storage.requireCapacity()).rejects.toThrow("no answer");
  for (let n = 0; n < 5; n += 1) await storage.requireCapacity();
  expect(measured).toBe(2);
  now += 2000;
  await expect(storage.requireCapacity()).rejects.toThrow("maximum size");
  expect(measured).toBe(3);
});

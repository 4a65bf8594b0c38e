/** Events that wait to be sent to webhooks contain texts of players, so they go with the sessions and testers they are about. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deleteSession } from "../../../src/server/erasure/delete-session.ts";
import { eraseTester } from "../../../src/server/erasure/erase-tester.ts";
import { webhookEvents } from "../../../src/server/notifications/events.ts";
import { createWebhook } from "../../../src/server/notifications/webhooks.ts";
import type { PruningPolicy } from "../../../src/server/pruning/policy.ts";
import { prune } from "../../../src/server/pruning/prune.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";

const DAY = 24 * 60 * 60 * 1000;
const keepNothing: PruningPolicy = { keepEventsMs: null, keepSessionsMs: 0 };

let service: TestService;
let gameId: string;
beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember");
  // Nobody listens there, and the service under test sends nothing on its own.
  const target = {
    url: "http://127.0.0.1:9/hook",
    format: "json",
    events: webhookEvents,
    gameId: null,
  } as const;
  await createWebhook(service.service.store.writeDb, service.service, service.accountId, target);
});
afterEach(() => service.stop());

const play = async (name: string) =>
  await sendTelemetry(service, {
    gameId: "ember",
    clientSessionId: name,
    deviceId: `${name}-phone`,
    testerHandle: name,
    title: `Evening of ${name}`,
    startedAt: NOW - DAY,
    sessionEnded: true,
    events: createEvents(["crash_reported", "death"], NOW - DAY),
  });

async function report(name: string, more: object = {}): Promise<void> {
  const answer = await service.post("/api/telemetry/bug-report", {
    gameId: "ember",
    title: `Bug of ${name}`,
    description: `${name} fell`,
    idempotencyKey: JSON.stringify([name, more]),
    ...more,
  });
  expect(answer.status).toBe(200);
}

async function readPending(): Promise<string[]> {
  const { readDb } = service.service.store;
  return (await readDb.selectFrom("webhook_deliveries").select("body").execute()).map(({ body }) => body);
}

const erase = async (name: string) =>
  await eraseTester(service.service, { accountId: service.accountId, name, gameIds: [gameId] });

it("deletes events that were sent and are kept, like pending ones", async () => {
  const id = await play("wren");
  await service.analysis.drain();
  await report("wren", { sessionId: id });
  await report("wren", { playerId: "wren" });
  const { writeDb } = service.service.store;
  const rows = await writeDb.selectFrom("webhook_deliveries").selectAll().execute();
  for (const { due_at: _due, attempts: _attempts, replayed_at: _replayed, ...row } of rows)
    await writeDb
      .insertInto("kept_deliveries")
      .values({ ...row, result: "delivered" })
      .execute();
  const readKept = async () => await writeDb.selectFrom("kept_deliveries").select("body").execute();
  expect((await readKept()).length).toBeGreaterThanOrEqual(3);
  await erase("wren");
  expect(await readKept()).toEqual([]);
});

describe("pending events", () => {
  it.each(["wren", "wren-phone"])(
    "of an erased tester are deleted, also without a session (%s)",
    async (playerId) => {
      const [sessionId] = [await play("wren"), await play("robin")];
      await service.analysis.drain();
      await report("wren", { sessionId });
      await report("wren", { playerId });
      await report("robin", { playerId: "robin" });
      await service.analysis.drain();
      const count = (await readPending()).filter((body) => /wren/.test(body)).length;
      expect(count).toBeGreaterThanOrEqual(3);
      expect(await erase("wren")).toMatchObject({ counts: { webhook_deliveries: count }, remaining: {} });
      const left = await readPending();
      expect(left.filter((body) => /wren/.test(body))).toEqual([]);
      expect(left.filter((body) => /robin/.test(body))).toHaveLength(2);
    },
  );

  it("never contain the player's id", async () => {
    await report("wren", { playerId: "secret-player" });
    expect((await readPending()).join()).not.toMatch(/secret-player/);
  });

  it("of a deleted session are deleted", async () => {
    const id = await play("wren");
    await play("robin");
    await service.analysis.drain();
    await report("wren", { sessionId: id });
    await deleteSession(service.service, service.accountId, { game_id: gameId, id });
    const left = await readPending();
    expect(left).toHaveLength(1);
    expect(left.join()).not.toMatch(/wren/);
  });

  it("of sessions that retention deletes are deleted, and no further ones are added", async () => {
    await play("wren");
    await service.analysis.drain();
    await report("wren", { sessionId: (await service.get("/api/v1/sessions")).json.items[0].id });
    await service.analysis.drain();
    expect(await readPending()).not.toEqual([]);
    await prune(service.service, keepNothing, { signal: new AbortController().signal });
    expect((await service.get("/api/v1/sessions")).json.total).toBe(0);
    await service.analysis.drain({ outdated: true });
    expect(await readPending()).toEqual([]);
  });

  it("are not added for a session whose events pruning removed, not even after late feedback", async () => {
    const id = await play("wren");
    await service.analysis.drain();
    await service.service.store.writeDb.deleteFrom("webhook_deliveries").execute();
    const policy: PruningPolicy = { keepEventsMs: 0, keepSessionsMs: null };
    await prune(service.service, policy, { signal: new AbortController().signal });
    expect((await readSessionRow(service, id)).events_pruned_at).toBe(NOW);
    await service.analysis.drain({ outdated: true });
    expect(await readPending()).toEqual([]);
    // The report itself is news, the unchanged findings are not.
    await report("wren", { sessionId: id });
    await service.analysis.drain({ outdated: true });
    expect((await readPending()).map((body) => JSON.parse(body).type)).toEqual(["bug-report"]);
  });
});

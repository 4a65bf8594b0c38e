/** Quarantined sessions: what arrives late for them, erasure, archives, and a release. */
import { describe, expect, it } from "vitest";
import { toQuarantined } from "../../../src/server/db/quarantined-ids.ts";
import { deleteGame } from "../../../src/server/erasure/delete-session.ts";
import { findErasures } from "../../../src/server/erasure/erase-again-queries.ts";
import { eraseTester, previewErasure } from "../../../src/server/erasure/erase-tester.ts";
import { claimHandle, ensureHandle, issueClaimToken } from "../../../src/server/testers/handles.ts";
import { NOW, openTestStore, type TestService } from "../../harness.ts";
import { exportArchive, restoreLines } from "../archive/archives.ts";
import { createStarter } from "../erasure/random-play.ts";
import { readSession, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";
import { move, requireEmber } from "./move.ts";

const { start } = createStarter();

describe("a quarantined session", () => {
  const play = (service: TestService, device: string, more: object = {}) =>
    sendTelemetry(service, {
      gameId: "ember",
      deviceId: device,
      clientSessionId: `client-${device}`,
      sessionMetadata: { gameVersion: "1.0" },
      events: [{ id: "e1", name: "jump", timestamp: NOW }],
      ...more,
    });

  it("accepts late events, each once, by its id and by the client's", async () => {
    const service = await start();
    await service.addGame("ember");
    const id = await play(service, "bot");
    await move(service, { device: "bot" });
    expect((await service.get(`/api/v1/sessions/${id}`)).status).toBe(404);
    const events = [
      { id: "e1", name: "jump", timestamp: NOW },
      { id: "e2", name: "jump", timestamp: NOW + 1 },
    ];
    const body = { gameId: "ember", deviceId: "bot", events };
    const late = await service.post("/api/telemetry", { ...body, clientSessionId: "client-bot" });
    expect(late.json).toMatchObject({ sessionId: id, accepted: 1, duplicates: 1 });
    const again = await service.post("/api/telemetry", { ...body, sessionId: id });
    expect(again.json).toMatchObject({ sessionId: id, accepted: 0, duplicates: 2 });
    await service.service.arrivals.flush();
    expect((await service.get("/api/v1/events/ember")).json).toMatchObject({ total: 0, sessionCount: 0 });
    await move(service, { device: "bot" }, true);
    expect((await readSession(service, id)).session.event_counts).toEqual({ jump: 2 });
    expect((await service.get("/api/v1/events/ember")).json).toMatchObject({ total: 2, sessionCount: 1 });
  });

  it("is found by what created it if a request without ids is repeated", async () => {
    const service = await start();
    await service.addGame("ember");
    const id = await play(service, "bot", { clientSessionId: undefined });
    await move(service, { device: "bot" });
    expect(await play(service, "bot", { clientSessionId: undefined })).toBe(id);
  });

  it("is erased with its tester, whom its names identify", async () => {
    const service = await start();
    const { id } = await requireEmber(service).catch(async () => ({ id: await service.addGame("ember") }));
    await play(service, "mia-phone", { testerHandle: "mia" });
    await play(service, "wren-phone");
    await move(service, { device: "mia-phone" });
    const target = { accountId: service.accountId, name: "mia", gameIds: [id] };
    const { counts } = await previewErasure(service.service, target);
    expect(counts).toMatchObject({ sessions: 1, event_batches: 1 });
    const report = await eraseTester(service.service, target);
    expect(report).toMatchObject({ counts, remaining: {} });
    expect(await move(service, {}, true)).toBe(0);
    const late = await service.post("/api/telemetry", {
      ...{ gameId: "ember", clientSessionId: "client-mia-phone", events: [] },
    });
    expect([late.status, late.json.reason]).toEqual([409, "erased"]);
  });

  it("does not make a shared device belong to one tester", async () => {
    const service = await start();
    const id = await service.addGame("ember");
    await play(service, "booth", { testerHandle: "mia", clientSessionId: "a" });
    await move(service, { device: "booth" });
    const other = await play(service, "booth", { testerHandle: "wren", clientSessionId: "b" });
    await eraseTester(service.service, { accountId: service.accountId, name: "mia", gameIds: [id] });
    expect((await readSession(service, other)).session.testerHandle).toBe("wren");
  });

  it("is deleted with its game", async () => {
    const service = await start();
    await service.addGame("ember");
    await play(service, "bot");
    await move(service, { device: "bot" });
    const counts = await deleteGame(service.service, await requireEmber(service));
    expect(counts).toMatchObject({ sessions: 1, event_batches: 1, games: 1 });
    const { readDb } = service.service.store;
    for (const table of ["sessions", "event_batches", "event_rollups", "session_changes"] as const)
      expect([table, await readDb.selectFrom(table).selectAll().execute()]).toEqual([table, []]);
  });

  it("loses a handle that was linked to another device in the meantime", async () => {
    const service = await start();
    const id = await service.addGame("ember");
    const session = await play(service, "bot", { testerHandle: "mia" });
    await move(service, { device: "bot" });
    const { writeDb } = service.service.store;
    const handle = await ensureHandle(writeDb, service.service, id, "mia");
    const token = await issueClaimToken(writeDb, handle);
    await writeDb.transaction().execute((db) => claimHandle(db, NOW, id, token, "mia-phone"));
    await move(service, {}, true);
    expect((await readSession(service, session)).session.testerHandle).toBeNull();
    expect((await service.get("/api/v1/sessions?q=mia")).json.total).toBe(0);
  });
});

it("keeps quarantined sessions in archives, and erases them there again", async () => {
  const [service, other] = [await start(), await openTestStore()];
  const gameId = await service.addGame("ember");
  for (const deviceId of ["bot", "bat"]) await sendTelemetry(service, { gameId: "ember", deviceId });
  await move(service, {});
  const { store } = service.service;
  const { lines } = await exportArchive(store);
  const target = { accountId: service.accountId, name: "bot", gameIds: [gameId] };
  await eraseTester(service.service, target);
  const { erased } = await restoreLines(other, lines, { erasures: await findErasures(store.readDb) });
  expect(erased).toMatchObject({ sessions: 1 });
  const left = await other.readDb.selectFrom("sessions").select(["device_id", "game_id"]).execute();
  expect(left).toEqual([{ device_id: "bat", game_id: toQuarantined(gameId) }]);
  await other.close();
});

it("stores a hash of the network of each session, which changes every day", async () => {
  const service = await start();
  await service.addGame("ember");
  const hash = async (deviceId: string) =>
    (await readSessionRow(service, await sendTelemetry(service, { gameId: "ember", deviceId }))).address_hash;
  const first = await hash("a");
  expect(first).toMatch(/^hash_[0-9a-f]{32}$/);
  expect(await hash("b")).toBe(first);
  service.clock.now += 86_400_000;
  expect(await hash("c")).not.toBe(first);
});

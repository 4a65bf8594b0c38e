/** Erasing again what tombstones name keeps what is newer than the erasure. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { eraseAgain } from "../../../src/server/erasure/erase-again.ts";
import { findErasures, mergeErasures } from "../../../src/server/erasure/erase-again-queries.ts";
import { addPlaytestKeys, createBatch, inviteTester } from "../../../src/server/playtests/batches.ts";
import { addTombstones } from "../../../src/server/sessions/tombstone-queries.ts";
import { claimHandle, ensureHandle, issueClaimToken } from "../../../src/server/testers/handles.ts";
import { engine, NOW, startTestService, type TestService } from "../../harness.ts";

let service: TestService;
let gameId: string;
beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember");
});
afterEach(() => service.stop());

const again = () => service.service.store.serializable((db) => eraseAgain(db, engine, service.clock.now));

it("keeps a handle that claimed an erased device later", async () => {
  const { writeDb } = service.service.store;
  const handle = await ensureHandle(writeDb, service.service, gameId, "robin");
  await addTombstones(writeDb, [{ kind: "device", gameId, value: "phone" }], NOW + 1000);
  const token = await issueClaimToken(writeDb, handle);
  await claimHandle(writeDb, NOW + 2000, gameId, token, "phone");
  expect(await again()).toEqual({});
  await addTombstones(writeDb, [{ kind: "device", gameId, value: "phone" }], NOW + 3000);
  expect(await again()).toMatchObject({ tester_handles: 1 });
});

it("releases the keys of erased invites, and clears the refusals of erased devices", async () => {
  const { writeDb } = service.service.store;
  const batch = await createBatch(writeDb, service.service, gameId, {
    ...{ name: "Batch", distribution_target: "steam", fulfillment_source: "uploaded" },
    ...{
      redemption_mode: "link",
      identity_mode: "email",
      instructions: null,
      expires_at: null,
      shared: false,
    },
  });
  await addPlaytestKeys(writeDb, service.service, batch, ["AAAA"]);
  await inviteTester(writeDb, service.service, batch, "wren@mail.example", null);
  await service.post("/api/telemetry", {
    gameId: "ember",
    deviceId: "wren-phone",
    events: [
      { id: "e1", name: "jump", timestamp: NOW - 1000 },
      { id: "e2", name: "", timestamp: NOW - 1000 },
    ],
  });
  await service.service.arrivals.flush();
  const names = [
    { kind: "device", gameId, value: "wren-phone" },
    { kind: "email", gameId, value: "wren@mail.example" },
  ] as const;
  await addTombstones(writeDb, names, NOW + 1000);
  expect(await again()).toMatchObject({ sessions: 1, tester_invites: 1 });
  expect(await writeDb.selectFrom("playtest_keys").select("status").execute()).toEqual([
    { status: "available" },
  ]);
  expect(JSON.stringify(await writeDb.selectFrom("arrivals").selectAll().execute())).not.toContain("wren");
});

it("never moves an erasure to an earlier time", async () => {
  const { writeDb } = service.service.store;
  const device = [{ kind: "device", gameId, value: "phone" }] as const;
  await addTombstones(writeDb, device, NOW);
  const older = await findErasures(writeDb);
  await addTombstones(writeDb, device, NOW + 1000);
  expect(older && (await mergeErasures(writeDb, older))).toBe(true);
  const times = await writeDb.selectFrom("tombstones").select("erased_at").execute();
  expect(times).toEqual([{ erased_at: NOW + 1000 }]);
});

it("keeps what a device has played since its erasure", async () => {
  const { store } = service.service;
  const device = [{ kind: "device", gameId, value: "ann" }] as const;
  await addTombstones(store.writeDb, device, NOW - 5000);
  await service.post("/api/telemetry", {
    ...{ gameId: "ember", deviceId: "ann", build: "1.0", clientSessionId: "later" },
    events: [{ id: "later", name: "jump", timestamp: NOW - 1000 }],
  });
  expect(await again()).toEqual({});
  const testers = await store.readDb.selectFrom("sessions").select("tester").execute();
  expect(testers).toEqual([{ tester: "ann" }]);
});

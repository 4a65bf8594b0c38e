/** Tester handles: totals of their devices, and concurrent claims. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HttpError } from "../../../src/contract/errors.ts";
import { claimHandle, ensureHandle, issueClaimToken } from "../../../src/server/testers/handles.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

const HOUR = 3_600_000;

let service: TestService;
let gameId: string;
beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember");
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function make(name: string, device?: string, game = gameId) {
  const { writeDb: write } = service.service.store;
  const handle = await ensureHandle(write, service.service, game, name);
  const token = await issueClaimToken(write, handle);
  if (device) await claimHandle(write, service.clock.now, game, token, device);
  return handle;
}

/** Stores a session with the given length in seconds. */
const sit = (deviceId: string, at: number, seconds: number, country?: string, game = "ember") =>
  sendTelemetry(service, {
    gameId: game,
    deviceId,
    startedAt: at,
    ...(country ? { country } : {}),
    sessionEnded: true,
    events: [
      { id: "a", name: "jump", timestamp: at },
      { id: "b", name: "jump", timestamp: at + seconds * 1000 },
    ],
  });

const handles = async () => (await service.get("/api/v1/handles/ember")).json.handles;

it("sums all sessions of the device, regardless of the handle they name", async () => {
  const wren = await make("wren", "d1");
  await sit("d1", NOW - 3 * HOUR, 60, "DE");
  await sit("d1", NOW - HOUR, 90, "DE");
  await sit("d1", NOW - 2 * HOUR, 30);
  await sit("d2", NOW, 1000, "FR");
  await service.addGame("tide");
  await sit("d1", NOW, 1000, "SE", "tide");
  await service.analysis.drain();
  expect(await handles()).toEqual([
    {
      id: wren.id,
      handle: "wren",
      key_id: null,
      device_id: "d1",
      claimed_at: NOW,
      session_count: 3,
      total_play_time_ms: 180_000,
      last_seen_at: NOW - HOUR,
      distinct_countries: 1,
      created_at: NOW,
    },
  ]);
  expect(wren.id).toMatch(/^pth_/);
});

it("counts each known country once", async () => {
  await make("shared", "d1");
  await make("still", "d2");
  for (const [at, country] of ["DE", "FR", undefined, "US", "DE"].entries())
    await sit("d1", NOW - at * HOUR, 1, country);
  await sit("d2", NOW - 9 * HOUR, 1);
  const counts = (await handles()).map((one: { handle: string; distinct_countries: number }) => [
    one.handle,
    one.distinct_countries,
  ]);
  expect(counts).toEqual([
    ["shared", 3],
    ["still", 0],
  ]);
});

it("sorts by last seen, with unseen handles last and ties by id", async () => {
  for (const [name, device] of [["idle"], ["old", "d1"], ["linked", "d2"], ["new", "d3"], ["tied", "d4"]])
    await make(name ?? "", device);
  await sit("d1", NOW - 2 * HOUR, 1);
  await sit("d3", NOW - HOUR, 1);
  await sit("d4", NOW - HOUR, 1);
  const listed = await handles();
  expect(listed.map((one: { handle: string }) => one.handle)).toEqual([
    "new",
    "tied",
    "old",
    "idle",
    "linked",
  ]);
  expect(listed.at(-1)).toMatchObject({
    device_id: "d2",
    session_count: 0,
    total_play_time_ms: 0,
    last_seen_at: null,
  });
});

it("separates the handles of games, even with the same name and device", async () => {
  const tide = await service.addGame("tide");
  await make("wren", "d1");
  await make("wren", "d1", tide);
  await sit("d1", NOW, 1);
  expect(await handles()).toMatchObject([{ handle: "wren", session_count: 1 }]);
  expect((await service.get("/api/v1/handles/tide")).json.handles).toMatchObject([{ session_count: 0 }]);
});

/** Claims a handle in a transaction, like the service. Locks only last until the end of a transaction. */
const claim = (token: string, device: string) =>
  service.service.store.write((db) => claimHandle(db, NOW, gameId, token, device));

const twenty = Array.from({ length: 20 }, (_, at) => `n${at}`);

/** The result of each concurrent claim: the handle, or the reason of the conflict. */
const outcomes = (claims: Promise<{ handle: string; alreadyLinked: boolean }>[]) =>
  Promise.all(
    claims.map((claim) =>
      claim.then(
        ({ alreadyLinked }) => (alreadyLinked ? "again" : "linked"),
        (error: HttpError) => `${error.code} ${error.extra.reason}`,
      ),
    ),
  );

it("links one of twenty devices that claim a handle at once, and one of twenty handles that claim a device", async () => {
  const { writeDb: write } = service.service.store;
  const token = await issueClaimToken(write, await make("wren"));
  const devices = await outcomes(twenty.map((device) => claim(token, device)));
  expect(devices.sort()).toEqual([...Array(19).fill("conflict already_linked_to_another_device"), "linked"]);
  const tokens = await Promise.all(twenty.map(async (name) => issueClaimToken(write, await make(name))));
  const handled = await outcomes(tokens.map((each) => claim(each, "d1")));
  expect(handled.sort()).toEqual([...Array(19).fill("conflict device_linked"), "linked"]);
});

it("links a device once that claims its handle twenty times at once", async () => {
  const { writeDb: write } = service.service.store;
  const token = await issueClaimToken(write, await make("wren"));
  const claims = await outcomes(twenty.map(() => claim(token, "d1")));
  expect(claims.sort()).toEqual([...Array(19).fill("again"), "linked"]);
});

it("creates one handle if the same name is created twenty times at once", async () => {
  const { writeDb: write } = service.service.store;
  const handles = await Promise.all(twenty.map(() => ensureHandle(write, service.service, gameId, "wren")));
  expect(new Set(handles.map(({ id }) => id)).size).toBe(1);
});

it("creates a handle once, and rejects names that cannot be in a path", async () => {
  expect((await make("wren")).id).toBe((await make("wren")).id);
  for (const name of ["", ".", "..", "x".repeat(121)])
    await expect(make(name)).rejects.toThrow(/Invalid tester handle/);
});

/** Playtest batches: their lists, the status of keys, and secrets that are never returned. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Db, PlaytestBatchRow } from "../../../src/server/db/schema.ts";
import {
  addPlaytestKeys,
  createBatch,
  generatePlaytestKey,
  inviteTester,
  type NewBatch,
  openInvite,
  redeemPlaytestKey,
  requirePlaytestKey,
  revokePlaytestKey,
} from "../../../src/server/playtests/batches.ts";
import { readStoredText } from "../../engine.ts";
import { freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";

const HOUR = 3_600_000;

let service: TestService;
let gameId: string;
let file: string;
let db: Db;
beforeEach(async () => {
  file = join(freshFolder(), "play.db");
  service = await startTestService({ database: file });
  gameId = await service.addGame("ember", "Ember Hollow");
  db = service.service.store.writeDb;
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const details: NewBatch = {
  name: "Closed alpha",
  distribution_target: "steam",
  fulfillment_source: "uploaded",
  redemption_mode: "link",
  identity_mode: "email",
  instructions: "# Hello\n",
  expires_at: null,
  shared: false,
};

const make = (more: Partial<NewBatch> = {}) =>
  createBatch(db, service.service, gameId, { ...details, ...more });
const add = (batch: PlaytestBatchRow, ...keys: string[]) => addPlaytestKeys(db, service.service, batch, keys);
const nobody = { email: null, handle: null, country: null, userAgent: null, ip: null };
const redeem = async (batch: PlaytestBatchRow, key: string, by = {}) =>
  redeemPlaytestKey(db, service.service, batch, await requirePlaytestKey(db, batch, key), {
    ...nobody,
    ...by,
  });
const invite = (batch: PlaytestBatchRow, email: string, note: string | null = null) =>
  inviteTester(db, service.service, batch, email, note);

const answer = async (path: string) => (await service.get(`/api/v1/batches/ember${path}`)).json;
const keysOf = async (batch: PlaytestBatchRow) => (await answer(`/${batch.id}/keys`)).keys;
const statuses = async (batch: PlaytestBatchRow) =>
  (await keysOf(batch)).map(({ status }: { status: string }) => status);

describe("the batches of a game", () => {
  it("are listed newest first with their counts", async () => {
    const first = await make();
    service.clock.now += 1;
    const second = await make({ name: "Open beta", expires_at: NOW + HOUR, shared: true });
    await add(first, "A", "B", "C", "D");
    await redeem(first, "A");
    await redeem(first, "B");
    await revokePlaytestKey(db, await requirePlaytestKey(db, first, "C"));
    const { instructions: _, shared: _shared, ...common } = details;
    const listed = await answer("");
    expect(listed).toEqual({
      game: { id: gameId, slug: "ember", name: "Ember Hollow" },
      batches: [
        {
          ...common,
          id: second.id,
          name: "Open beta",
          share_token: expect.stringMatching(/^share_[0-9a-f]{24}$/),
          key_count: 0,
          redeemed_count: 0,
          revoked_count: 0,
          expires_at: NOW + HOUR,
          created_at: NOW + 1,
        },
        {
          ...common,
          id: first.id,
          share_token: null,
          key_count: 4,
          redeemed_count: 2,
          revoked_count: 1,
          expires_at: null,
          created_at: NOW,
        },
      ],
    });
    expect(first.id).toMatch(/^ptb_/);
    expect(await answer(`/${first.id}`)).toEqual({
      game: expect.objectContaining({ id: gameId, userId: service.accountId }),
      batch: { ...listed.batches[1], instructions: "# Hello\n" },
    });
  });

  it("return 404 for another game", async () => {
    const batch = await make();
    await service.addGame("tide");
    for (const rest of ["", "/keys", "/invites"]) {
      const { text } = await service.get(`/api/v1/batches/tide/${batch.id}${rest}`);
      expect(text).toBe('{"error":"Not found"}');
    }
    expect((await service.get("/api/v1/batches/tide")).json.batches).toEqual([]);
  });
});

describe("the keys of a batch", () => {
  it("are listed oldest first with their redemption and without secrets", async () => {
    const batch = await make();
    await add(batch, "ALPHA-1");
    service.clock.now += 1;
    await add(batch, "ALPHA-2");
    const by = { email: "w@x.test", handle: "wren", country: "DE", userAgent: "Firefox", ip: "192.0.2.7" };
    await redeem(batch, "ALPHA-2", by);
    const [first, second] = await keysOf(batch);
    const common = {
      redeemed_at: null,
      redeemed_by_email: null,
      redeemed_by_handle: null,
      redemption_country: null,
      redemption_user_agent: null,
      tester_invite_id: null,
    };
    expect(first).toEqual({ ...common, id: first.id, status: "available", created_at: NOW });
    expect(second).toEqual({
      ...common,
      id: second.id,
      status: "redeemed",
      redeemed_at: NOW + 1,
      redeemed_by_email: "w@x.test",
      redeemed_by_handle: "wren",
      redemption_country: "DE",
      redemption_user_agent: "Firefox",
      created_at: NOW + 1,
    });
    expect(first.id).toMatch(/^ptk_/);
    const { handles } = (await service.get("/api/v1/handles/ember")).json;
    expect(handles).toMatchObject([{ handle: "wren", key_id: second.id }]);
  });

  it("expire exactly when their batch expires, unless they are redeemed or revoked", async () => {
    const batch = await make({ expires_at: NOW + HOUR });
    await add(batch, "A");
    for (const key of ["B", "C", "D"]) {
      service.clock.now += 1;
      await add(batch, key);
    }
    await invite(batch, "first@x.test");
    await redeem(batch, "C");
    await revokePlaytestKey(db, await requirePlaytestKey(db, batch, "D"));
    service.clock.now = NOW + HOUR - 1;
    expect(await statuses(batch)).toEqual(["reserved", "available", "redeemed", "revoked"]);
    service.clock.now = NOW + HOUR;
    expect(await statuses(batch)).toEqual(["expired", "expired", "redeemed", "revoked"]);
    for (const key of ["A", "B"]) await expect(redeem(batch, key)).rejects.toThrow(/has expired/);
    await expect(invite(batch, "late@x.test")).rejects.toThrow(/has expired/);
  });

  it("can be redeemed only once, and not if revoked", async () => {
    const batch = await make();
    await add(batch, "A", "B");
    await redeem(batch, "A");
    await expect(redeem(batch, "A")).rejects.toThrow(/was already redeemed/);
    await revokePlaytestKey(db, await requirePlaytestKey(db, batch, "B"));
    await expect(redeem(batch, "B")).rejects.toThrow(/was revoked/);
    await revokePlaytestKey(db, await requirePlaytestKey(db, batch, "A"));
    expect((await answer("")).batches[0]).toMatchObject({ redeemed_count: 0, revoked_count: 2 });
    expect((await keysOf(batch)).filter((key: { redeemed_at: number }) => key.redeemed_at)).toHaveLength(1);
  });

  it("are added only once per game, even to different batches", async () => {
    const [one, two] = [await make(), await make()];
    expect((await add(one, "A", "B", " A ")).size).toBe(2);
    expect([...(await add(two, "B", "C")).keys()]).toEqual(["C"]);
    await expect(requirePlaytestKey(db, two, "A")).rejects.toThrow(/^Key not found in batch/);
    expect((await requirePlaytestKey(db, one, "A")).batch_id).toBe(one.id);
  });

  it("are generated without duplicates and ambiguous characters", () => {
    const keys = Array.from({ length: 200 }, generatePlaytestKey);
    expect(new Set(keys).size).toBe(200);
    for (const key of keys) expect(key).toMatch(/^([A-HJ-NP-Z2-9]{5}-){4}[A-HJ-NP-Z2-9]{5}$/);
  });
});

describe("the invites of a batch", () => {
  it("are listed most recently sent first, and each reserves a key", async () => {
    const batch = await make();
    await add(batch, "A");
    service.clock.now += 1;
    await add(batch, "B");
    const first = await invite(batch, "one@x.test", "Hi!");
    service.clock.now += 1;
    const second = await invite(batch, "two@x.test");
    service.clock.now += 1;
    await openInvite(db, first.invite, service.clock.now);
    await openInvite(db, { ...first.invite, opened_at: NOW + 3 }, NOW + 9);
    service.clock.now += 1;
    await redeem(batch, first.keyId);
    const { batch: named, invites } = await answer(`/${batch.id}/invites`);
    expect(named).toEqual({ id: batch.id, name: "Closed alpha" });
    expect(invites).toEqual([
      {
        id: second.invite.id,
        email: "two@x.test",
        personal_note: null,
        sent_at: NOW + 2,
        opened_at: null,
        redeemed_at: null,
      },
      {
        id: first.invite.id,
        email: "one@x.test",
        personal_note: "Hi!",
        sent_at: NOW + 1,
        opened_at: NOW + 3,
        redeemed_at: NOW + 4,
      },
    ]);
    expect(first.invite.id).toMatch(/^tvi_/);
    const keys = await keysOf(batch);
    expect(keys).toMatchObject([
      { status: "redeemed", tester_invite_id: first.invite.id, redeemed_by_email: "one@x.test" },
      { status: "reserved", tester_invite_id: second.invite.id },
    ]);
    await expect(invite(batch, "three@x.test")).rejects.toThrow(/has no available keys/);
    await expect(invite(batch, "one@x.test")).rejects.toThrow(/already invited to batch/);
  });
});

it("never returns keys, fingerprints, tokens or IP addresses, and does not store keys and tokens as text", async () => {
  const batch = await make();
  await add(batch, "SECRET-KEY-1", "SECRET-KEY-2");
  const { token } = await invite(batch, "one@x.test");
  await redeem(batch, "SECRET-KEY-2", { ip: "192.0.2.77", handle: "wren" });
  const { fingerprint } = await requirePlaytestKey(db, batch, "SECRET-KEY-1");
  let shown = "";
  for (const rest of ["", `/${batch.id}`, `/${batch.id}/keys`, `/${batch.id}/invites`])
    shown += (await service.get(`/api/v1/batches/ember${rest}`)).text;
  shown += (await service.get("/api/v1/handles/ember")).text;
  for (const secret of [token, "SECRET-KEY", "192.0.2.77", fingerprint]) expect(shown).not.toContain(secret);
  await service.stop();
  const stored = await readStoredText(file);
  expect(stored).toContain("192.0.2.77");
  for (const secret of [token, "SECRET-KEY"]) expect(stored).not.toContain(secret);
  service = await startTestService();
});

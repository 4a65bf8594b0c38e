/** Tests of admin batches and admin handles, checked with responses of the service. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

beforeEach(async () => {
  await fixture.run(["games", "create", "ember"]);
});

const on = (...argv: string[]) => fixture.run([...argv, "--game", "ember"]);

/** Runs a command that must succeed. Returns its JSON. */
async function run(...argv: string[]) {
  const { code, err, json } = await on(...argv);
  expect([code, err]).toEqual([0, ""]);
  return json;
}

/** The response of the service to a path. */
async function answered(path: string) {
  const { key } = (await fixture.run(["keys", "rotate", "--yes"])).json;
  return await fixture.withService(async (service) => (await service.get(path, { key })).json);
}

test("creates a batch with its details, and adds keys from a file and generated keys", async () => {
  writeFileSync(join(fixture.folder, "welcome.md"), "# Hi\n");
  writeFileSync(join(fixture.folder, "keys.txt"), "KEY-A\r\n\n KEY-B \nKEY-A\n");
  const { batch } = await run(
    ...["batches", "create", "Alpha", "--target", "itch", "--share"],
    ...["--expires", "2026-12-31", "--instructions", "welcome.md"],
  );
  expect(batch).toMatchObject({
    name: "Alpha",
    distribution_target: "itch",
    instructions: "# Hi\n",
    expires_at: Date.UTC(2026, 11, 31),
    key_count: 0,
  });
  const filed = await on("batches", "add-keys", batch.id, "--file", "keys.txt");
  expect([filed.code, filed.err]).toEqual([
    0,
    "Skipped 1 key: it is repeated in the file or already exists in this game.\n",
  ]);
  expect(filed.json.added.map(({ key }: { key: string }) => key)).toEqual(["KEY-A", "KEY-B"]);
  expect(filed.json.known).toBe(1);
  const made = await run("batches", "add-keys", batch.id, "--generate", "3");
  expect(made.added).toHaveLength(3);
  const { keys } = await answered(`/api/v1/batches/ember/${batch.id}/keys`);
  const ids = [...filed.json.added, ...made.added].map(({ id }) => id);
  expect(keys.map(({ id }: { id: string }) => id).sort()).toEqual(ids.sort());
  const detail = (await answered(`/api/v1/batches/ember/${batch.id}`)).batch;
  expect(detail).toEqual({ ...batch, key_count: 5 });
});

test("keys of a batch that expires in 7d are available until then", async () => {
  const { batch } = await run("batches", "create", "Alpha", "--expires", "7d");
  expect(batch.expires_at).toBe(fixture.clock.now + 7 * 86_400_000);
  await run("batches", "add-keys", batch.id, "--generate", "1");
  const { keys } = await answered(`/api/v1/batches/ember/${batch.id}/keys`);
  expect(keys.map(({ status }: { status: string }) => status)).toEqual(["available"]);
});

test("redeems a specific key, an invited key and the next key, and revokes keys", async () => {
  const { batch } = await run("batches", "create", "Alpha");
  writeFileSync(join(fixture.folder, "keys.txt"), "A\nB\nC\nD\n");
  const { added } = await run("batches", "add-keys", batch.id, "--file", "keys.txt");
  const idOf = (key: string) => added.find((one: { key: string }) => one.key === key).id;
  const byKey = (
    await run("batches", "redeem", batch.id, "--key", "B", "--email", "b@x.test", "--country", "DE")
  ).key;
  expect(byKey).toMatchObject({
    id: idOf("B"),
    status: "redeemed",
    redeemed_by_email: "b@x.test",
    redemption_country: "DE",
    redeemed_at: fixture.clock.now,
  });
  const { invite, keyId, redemptionToken } = await run(
    "batches",
    "invite",
    batch.id,
    "w@x.test",
    "--note",
    "Hi",
  );
  expect(redemptionToken).toMatch(/^[0-9a-f]{40}$/);
  expect(invite).toMatchObject({
    email: "w@x.test",
    personal_note: "Hi",
    opened_at: null,
    redeemed_at: null,
  });
  fixture.clock.now += 1;
  expect((await run("batches", "open-invite", batch.id, invite.id)).invite.opened_at).toBe(fixture.clock.now);
  const invited = (await run("batches", "redeem", batch.id, "--invite", invite.id, "--handle", "wren")).key;
  expect(invited).toMatchObject({ id: keyId, redeemed_by_email: "w@x.test", tester_invite_id: invite.id });
  const next = (await run("batches", "redeem", batch.id)).key;
  expect([idOf("B"), keyId]).not.toContain(next.id);
  const last = ["A", "C", "D"].map(idOf).find((id) => ![keyId, next.id].includes(id));
  expect((await run("batches", "revoke-key", batch.id, last, "--yes")).key.status).toBe("revoked");
  const spent = await on("batches", "redeem", batch.id);
  expect([spent.code, spent.err]).toEqual([45, expect.stringContaining("has no available keys")]);
  expect((await answered("/api/v1/batches/ember")).batches[0]).toMatchObject({
    key_count: 4,
    redeemed_count: 3,
    revoked_count: 1,
  });
  expect((await answered(`/api/v1/batches/ember/${batch.id}/invites`)).invites).toEqual([
    { ...invite, opened_at: fixture.clock.now, redeemed_at: fixture.clock.now },
  ]);
  expect((await answered("/api/v1/handles/ember")).handles).toMatchObject([
    { handle: "wren", key_id: keyId },
  ]);
});

test("creates a handle once, and its claim token links a device", async () => {
  const { handle } = await run("handles", "create", "wren");
  expect(handle).toMatchObject({ handle: "wren", key_id: null, device_id: null, session_count: 0 });
  expect((await run("handles", "create", "wren")).handle).toEqual(handle);
  const first = await run("handles", "claim-token", "wren");
  const second = await run("handles", "claim-token", "wren");
  const ingest = (await fixture.run(["keys", "create"])).json.key;
  await fixture.withService(async (service) => {
    const claim = (claimToken: string) =>
      service.post("/api/telemetry/claim", { claimToken, gameId: "ember", deviceId: "d1" }, { key: ingest });
    expect((await claim(first.claimToken)).status).toBe(404);
    expect((await claim(second.claimToken)).json).toMatchObject({ ok: true, handle: "wren" });
  });
});

test("rejects invalid operations without changes, and names the problem", async () => {
  const { batch } = await run("batches", "create", "Alpha");
  // The id of a batch is random, and a text that it begins with would find it.
  const unknown = batch.id.startsWith("ptb_0") ? "ptb_1" : "ptb_0";
  writeFileSync(join(fixture.folder, "empty.txt"), "\n\n");
  writeFileSync(join(fixture.folder, "binary.txt"), Buffer.from([0xff, 0xfe]));
  for (const [argv, code, message] of [
    [["batches", "add-keys", batch.id], 2, "Specify either --file or --generate"],
    [["batches", "add-keys", batch.id, "--file", "empty.txt"], 2, "contains no keys"],
    [["batches", "add-keys", batch.id, "--file", "binary.txt"], 2, "is not valid UTF-8 text"],
    [["batches", "add-keys", batch.id, "--file", "none.txt"], 3, "Cannot read none.txt"],
    [["batches", "add-keys", batch.id, "--generate", "0"], 2, "--generate"],
    [["batches", "add-keys", unknown, "--generate", "1"], 44, `No batch ${unknown} in ember`],
    [["batches", "revoke-key", batch.id, "ptk_0", "--yes"], 44, 'Key "ptk_0" not found in batch'],
    [["batches", "redeem", batch.id, "--invite", "tvi_0"], 44, "No invite tvi_0 in this batch"],
    [["batches", "redeem", batch.id, "--country", "Germany"], 2, "ISO 3166"],
    [["batches", "redeem", batch.id, "--key", "A", "--invite", "B"], 2, "cannot be used together"],
    [["batches", "invite", batch.id, "nobody"], 2, "is not an email address"],
    [["batches", "invite", batch.id, "w@x.test"], 45, "has no available keys"],
    [["batches", "open-invite", batch.id, "tvi_0"], 44, "No invite tvi_0 in this batch"],
    [["handles", "create", ".."], 2, 'Invalid tester handle ".."'],
    [["handles", "create", "wren", "--key", "ptk_0"], 44, "No playtest key ptk_0"],
    [["handles", "claim-token", "wren"], 44, "No handle wren in ember"],
  ] as const) {
    const { code: got, err } = await on(...argv);
    expect([argv, got, err]).toEqual([argv, code, expect.stringContaining(message)]);
  }
  expect((await answered("/api/v1/batches/ember")).batches).toMatchObject([{ key_count: 0 }]);
  expect((await answered("/api/v1/handles/ember")).handles).toEqual([]);
});

/** Tests of admin accounts and admin games. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder, runCli } from "../harness.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

test("creates an account with working keys that only see its own games", async () => {
  await fixture.run(["games", "create", "ember"]);
  const made = await fixture.run(["accounts", "create", "Second Studio"]);
  expect(made).toMatchObject({ code: 0, json: { account: { name: "Second Studio", games: 0 } } });
  const { account, managementKey, ingestKey } = made.json;
  await fixture.run(["games", "create", "tide", "--account", account.id]);
  await fixture.withService(async (service) => {
    const seen = await service.get("/api/v1/games", { key: managementKey });
    expect(seen.json.games.map((game: { slug: string }) => game.slug)).toEqual(["tide"]);
    const sent = await service.post("/api/telemetry", { gameId: "tide", events: [] }, { key: ingestKey });
    expect(sent.status).toBe(202);
  });
});

test("lists all accounts, oldest first, with their number of games", async () => {
  await fixture.run(["games", "create", "ember"]);
  fixture.clock.now += 1;
  await fixture.run(["accounts", "create", "Second"]);
  const { json } = await fixture.run(["accounts", "list"]);
  expect(json.accounts.map(({ name, games }: { name: string; games: number }) => [name, games])).toEqual([
    ["local", 1],
    ["Second", 0],
  ]);
  expect(await fixture.show(["accounts", "list"])).toMatch(
    /NAME +ID +GAMES +CREATED\n[─ ]+\nlocal .*\nSecond /,
  );
});

test("shows the keys at a terminal", async () => {
  const shown = await fixture.show(["accounts", "create", "Second"]);
  expect(shown).toMatch(/Management key +pt_mgmt_[0-9a-f]{40}\nIngest key +pt_ik_[0-9a-f]{40}\n/);
});

test.each(["", "  ", "x".repeat(121)])("rejects %j as a name", async (name) => {
  expect(await fixture.run(["accounts", "create", name])).toMatchObject({ code: 2, json: null });
});

test("--account accepts an id, or a name that only one account has", async () => {
  for (let n = 0; n < 2; n += 1) await fixture.run(["accounts", "create", "Twin"]);
  await fixture.run(["accounts", "create", "Only"]);
  expect((await fixture.run(["games", "create", "a", "--account", "Only"])).code).toBe(0);
  const twins = await fixture.run(["games", "create", "a", "--account", "Twin"]);
  expect([twins.code, twins.err]).toEqual([2, expect.stringContaining('2 accounts are named "Twin"')]);
  const none = await fixture.run(["games", "create", "a", "--account", "None"]);
  expect([none.code, none.err]).toEqual([44, expect.stringContaining('Account "None" not found')]);
});

test("lists and renames games within their account", async () => {
  await fixture.run(["accounts", "create", "Other"]);
  await fixture.run(["games", "create", "ember"]);
  fixture.clock.now += 1;
  await fixture.run(["games", "create", "tide"]);
  const renamed = await fixture.run(["games", "rename", "ember", "Ember Hollow"]);
  expect(renamed.json.game).toMatchObject({ slug: "ember", name: "Ember Hollow" });
  const { json } = await fixture.run(["games", "list"]);
  expect(json.games.map(({ slug, name }: { slug: string; name: string }) => [slug, name])).toEqual([
    ["tide", "tide"],
    ["ember", "Ember Hollow"],
  ]);
  expect((await fixture.run(["games", "list", "--account", "Other"])).json).toEqual({ games: [] });
  expect((await fixture.run(["games", "rename", "ember", "X", "--account", "Other"])).code).toBe(44);
  expect((await fixture.run(["games", "rename", json.games[0].id, ""])).code).toBe(2);
  expect((await fixture.run(["games", "rename", json.games[0].id, "By id"])).json.game.name).toBe("By id");
});

test.each([
  ["admin", "games", "create", "Bad Slug"],
  ["admin", "keys", "create", "--bind", "nosuch"],
  ["admin", "providers", "set", "--model", "m"],
  ["admin", "batches", "create", "Alpha", "--game", "nosuch"],
  ["admin", "handles", "claim-token", "nobody", "--game", "nosuch"],
  ["server", "start", "--create-game", "Bad Slug", "--port", "0"],
  ["server", "exec", "--create-game", "Bad Slug", "--database", "new.db", "--", "true"],
])("creates no database for arguments that are rejected: %s %s %s %s", async (...argv) => {
  const home = freshFolder();
  const { code, err } = await runCli(argv, { home });
  expect(code).not.toBe(0);
  expect(err).not.toContain("Created the database");
  expect([existsSync(join(home, "state", "playtest.db")), existsSync(join(home, "new.db"))]).toEqual([
    false,
    false,
  ]);
});

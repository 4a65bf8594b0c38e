/** admin accounts and games: whose play a database holds. */
import { expect, test } from "vitest";
import { eachPlace, type Place } from "./local-admin.ts";

let place: Place;
eachPlace((made) => {
  place = made;
});

test("an account is made with keys that work, and see its games alone", async () => {
  await place.run(["games", "create", "ember"]);
  const made = await place.run(["accounts", "create", "Second Studio"]);
  expect(made).toMatchObject({ code: 0, json: { account: { name: "Second Studio", games: 0 } } });
  const { account, managementKey, ingestKey } = made.json;
  await place.run(["games", "create", "tide", "--account", account.id]);
  await place.served(async (service) => {
    const seen = await service.get("/api/v1/games", { key: managementKey });
    expect(seen.json.games.map((game: { slug: string }) => game.slug)).toEqual(["tide"]);
    const sent = await service.post("/api/telemetry", { gameId: "tide", events: [] }, { key: ingestKey });
    expect(sent.status).toBe(202);
  });
});

test("list shows every account, the first one first, and how many games each has", async () => {
  await place.run(["games", "create", "ember"]);
  place.clock.now += 1;
  await place.run(["accounts", "create", "Second"]);
  const { json } = await place.run(["accounts", "list"]);
  expect(json.accounts.map(({ name, games }: { name: string; games: number }) => [name, games])).toEqual([
    ["local", 1],
    ["Second", 0],
  ]);
  expect(await place.show(["accounts", "list"])).toMatch(
    /ACCOUNT +ID +GAMES +CREATED\n[─ ]+\nlocal .*\nSecond /,
  );
});

test("the keys are shown to a person too", async () => {
  const shown = await place.show(["accounts", "create", "Second"]);
  expect(shown).toMatch(/Management key +pt_mgmt_[0-9a-f]{40}\nIngest key +pt_ik_[0-9a-f]{40}\n/);
});

test.each(["", "  ", "x".repeat(121)])("%j is no name", async (name) => {
  expect(await place.run(["accounts", "create", name])).toMatchObject({ code: 2, json: null });
});

test("--account takes an id or a name that one account has", async () => {
  for (let n = 0; n < 2; n += 1) await place.run(["accounts", "create", "Twin"]);
  await place.run(["accounts", "create", "Only"]);
  expect((await place.run(["games", "create", "a", "--account", "Only"])).code).toBe(0);
  const twins = await place.run(["games", "create", "a", "--account", "Twin"]);
  expect([twins.code, twins.err]).toEqual([2, expect.stringContaining('2 accounts are named "Twin"')]);
  const none = await place.run(["games", "create", "a", "--account", "None"]);
  expect([none.code, none.err]).toEqual([44, expect.stringContaining('There is no account "None"')]);
});

test("games are listed and renamed within their account", async () => {
  await place.run(["accounts", "create", "Other"]);
  await place.run(["games", "create", "ember"]);
  place.clock.now += 1;
  await place.run(["games", "create", "tide"]);
  const renamed = await place.run(["games", "rename", "ember", "Ember Hollow"]);
  expect(renamed.json.game).toMatchObject({ slug: "ember", name: "Ember Hollow" });
  const { json } = await place.run(["games", "list"]);
  expect(json.games.map(({ slug, name }: { slug: string; name: string }) => [slug, name])).toEqual([
    ["tide", "tide"],
    ["ember", "Ember Hollow"],
  ]);
  expect((await place.run(["games", "list", "--account", "Other"])).json).toEqual({ games: [] });
  expect((await place.run(["games", "rename", "ember", "X", "--account", "Other"])).code).toBe(44);
  expect((await place.run(["games", "rename", json.games[0].id, ""])).code).toBe(2);
  expect((await place.run(["games", "rename", json.games[0].id, "By id"])).json.game.name).toBe("By id");
});

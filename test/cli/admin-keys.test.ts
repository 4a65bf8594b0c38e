/** admin keys: made, replaced and listed; their text is seen once. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eachPlace, type Place } from "./local-admin.ts";

let place: Place;
eachPlace((made) => {
  place = made;
});

test("rotate gives the account a management key, and the one before stops working", async () => {
  await place.run(["games", "create", "ember"]);
  const first = (await place.run(["keys", "rotate"])).json;
  expect(first).toEqual({
    key: expect.stringMatching(/^pt_mgmt_[0-9a-f]{40}$/),
    id: expect.stringMatching(/^[0-9a-f]{12}$/),
    kind: "management",
    game: null,
    createdAt: place.clock.now,
  });
  const second = (await place.run(["keys", "rotate"])).json;
  await place.served(async (service) => {
    expect((await service.get("/api/v1/games", { key: first.key })).status).toBe(401);
    expect((await service.get("/api/v1/games/ember", { key: second.key })).status).toBe(200);
  });
});

test("rotate leaves the keys of other accounts, and ingest keys, alone", async () => {
  const other = (await place.run(["accounts", "create", "Other"])).json;
  await place.run(["games", "create", "ember"]);
  const ingest = (await place.run(["keys", "create"])).json;
  await place.run(["keys", "rotate"]);
  await place.served(async (service) => {
    expect((await service.get("/api/v1/games", { key: other.managementKey })).status).toBe(200);
    const sent = await service.post("/api/telemetry", { gameId: "ember", events: [] }, { key: ingest.key });
    expect(sent.status).toBe(202);
  });
});

test("create makes ingest keys beside those there are, bound to a game where one is named", async () => {
  await place.run(["games", "create", "ember"]);
  await place.run(["games", "create", "tide"]);
  const free = (await place.run(["keys", "create"])).json;
  const bound = (await place.run(["keys", "create", "--bind", "tide"])).json;
  expect([free.game, bound.game, bound.kind]).toEqual([null, "tide", "ingest"]);
  await place.served(async (service) => {
    const send = async (key: string, gameId?: string) =>
      (await service.post("/api/telemetry", { ...(gameId ? { gameId } : {}), events: [] }, { key })).status;
    expect(await send(free.key, "ember")).toBe(202);
    expect([await send(bound.key), await send(bound.key, "ember")]).toEqual([202, 404]);
  });
  expect((await place.run(["keys", "create", "--bind", "none"])).code).toBe(44);
});

test("list tells keys apart without showing them", async () => {
  await place.run(["games", "create", "ember"]);
  const made = [];
  for (const argv of [["rotate"], ["create"], ["create", "--bind", "ember"]]) {
    made.push((await place.run(["keys", ...argv])).json);
    place.clock.now += 1;
  }
  const { json } = await place.run(["keys", "list"]);
  expect(json.keys).toEqual(made.map(({ key: _key, ...stored }) => stored));
  const shown = await place.show(["keys", "list"]);
  const stored = readFileSync(place.file, "latin1");
  for (const { key, id } of made) {
    expect(shown).toContain(id);
    expect(shown + JSON.stringify(json) + stored).not.toContain(key);
  }
  expect(await place.show(["keys", "create"])).toMatch(/^Key +pt_ik_[0-9a-f]{40}\n/);
});

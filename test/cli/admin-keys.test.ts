/** Tests of admin keys. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

test("rotate creates a management key, and the previous one stops working", async () => {
  await fixture.run(["games", "create", "ember"]);
  const first = (await fixture.run(["keys", "rotate"])).json;
  expect(first).toEqual({
    key: expect.stringMatching(/^pt_mgmt_[0-9a-f]{40}$/),
    id: expect.stringMatching(/^[0-9a-f]{12}$/),
    kind: "management",
    game: null,
    createdAt: fixture.clock.now,
  });
  const second = (await fixture.run(["keys", "rotate", "--yes"])).json;
  await fixture.withService(async (service) => {
    expect((await service.get("/api/v1/games", { key: first.key })).status).toBe(401);
    expect((await service.get("/api/v1/games/ember", { key: second.key })).status).toBe(200);
  });
});

test("rotate does not affect ingest keys and keys of other accounts", async () => {
  const other = (await fixture.run(["accounts", "create", "Other"])).json;
  await fixture.run(["games", "create", "ember"]);
  const ingest = (await fixture.run(["keys", "create"])).json;
  await fixture.run(["keys", "rotate"]);
  await fixture.withService(async (service) => {
    expect((await service.get("/api/v1/games", { key: other.managementKey })).status).toBe(200);
    const sent = await service.post("/api/telemetry", { gameId: "ember", events: [] }, { key: ingest.key });
    expect(sent.status).toBe(202);
  });
});

test("create adds ingest keys, optionally limited to a game", async () => {
  await fixture.run(["games", "create", "ember"]);
  await fixture.run(["games", "create", "tide"]);
  const free = (await fixture.run(["keys", "create"])).json;
  const bound = (await fixture.run(["keys", "create", "--bind", "tide"])).json;
  expect([free.game, bound.game, bound.kind]).toEqual([null, "tide", "ingest"]);
  await fixture.withService(async (service) => {
    const send = async (key: string, gameId?: string) =>
      (await service.post("/api/telemetry", { ...(gameId ? { gameId } : {}), events: [] }, { key })).status;
    expect(await send(free.key, "ember")).toBe(202);
    expect([await send(bound.key), await send(bound.key, "ember")]).toEqual([202, 404]);
  });
  expect((await fixture.run(["keys", "create", "--bind", "none"])).code).toBe(44);
});

test("list identifies keys without showing them", async () => {
  await fixture.run(["games", "create", "ember"]);
  const made = [];
  for (const argv of [["rotate"], ["create"], ["create", "--bind", "ember"]]) {
    made.push((await fixture.run(["keys", ...argv])).json);
    fixture.clock.now += 1;
  }
  const { json } = await fixture.run(["keys", "list"]);
  expect(json.keys).toEqual(made.map(({ key: _key, ...stored }) => stored));
  const shown = await fixture.show(["keys", "list"]);
  expect(shown).toMatch(/^KEY HASH +KIND +GAME +CREATED/);
  expect(shown).toMatch(/ management +all /);
  const stored = readFileSync(fixture.file, "latin1");
  for (const { key, id } of made) {
    expect(shown).toContain(id);
    expect(shown + JSON.stringify(json) + stored).not.toContain(key);
  }
  expect(await fixture.show(["keys", "create"])).toMatch(/^Key +pt_ik_[0-9a-f]{40}\n/);
});

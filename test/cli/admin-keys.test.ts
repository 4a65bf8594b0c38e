/** Tests of admin keys. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig, writeConfig } from "../../src/cli/config-file.ts";
import { DAY_MS } from "../../src/shared/time-units.ts";
import { runCli } from "../harness.ts";
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
    name: null,
    kind: "management",
    game: null,
    environment: null,
    createdAt: fixture.clock.now,
    lastUsedAt: null,
    expiresAt: null,
    profiles: [],
  });
  const second = (await fixture.run(["keys", "rotate", "--yes"])).json;
  await fixture.withService(async (service) => {
    expect((await service.get("/api/v1/games", { key: first.key })).status).toBe(401);
    expect((await service.get("/api/v1/games/ember", { key: second.key })).status).toBe(200);
  });
});

test("rotate needs an account, because in a new database it would seem to have replaced a key", async () => {
  const { code, err } = await fixture.run(["keys", "rotate", "--yes"]);
  expect(code).toBe(3);
  expect(err).toMatch(/The database .* is empty/);
  await fixture.run(["games", "create", "ember"]);
  expect((await fixture.run(["keys", "rotate", "--yes"])).code).toBe(0);
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
  expect(json.keys).toEqual(made.map(({ key: _key, profiles: _profiles, ...stored }) => stored));
  const shown = await fixture.show(["keys", "list"]);
  expect(shown).toMatch(/^KEY HASH +NAME +KIND +GAME +CREATED +LAST USED +EXPIRES/);
  expect(shown).toMatch(/ management +all /);
  const stored = readFileSync(fixture.file, "latin1");
  for (const { key, id } of made) {
    expect(shown).toContain(id);
    expect(shown + JSON.stringify(json) + stored).not.toContain(key);
  }
  expect(await fixture.show(["keys", "create"])).toMatch(/^Key +pt_ik_[0-9a-f]{40}\n/);
});

test("create makes named keys with limits, which list shows", async () => {
  await fixture.run(["games", "create", "ember"]);
  const expiresAt = fixture.clock.now + 30 * DAY_MS;
  const ci = (
    await fixture.run(["keys", "create", "--name", "ci", "--kind", "management", "--expires", "30d"])
  ).json;
  expect(ci).toMatchObject({ name: "ci", kind: "management", game: null, environment: null, expiresAt });
  fixture.clock.now += 1;
  const argv = ["keys", "create", "--name", "build", "--game", "ember", "--environment", "staging"];
  const build = (await fixture.run(argv)).json;
  expect(build).toMatchObject({ name: "build", kind: "ingest", game: "ember", environment: "staging" });
  expect((await fixture.run(["keys", "list"])).json.keys).toEqual(
    [ci, build].map(({ key: _key, ...rest }) => rest),
  );
  const day = Math.floor(fixture.clock.now / DAY_MS) * DAY_MS;
  await fixture.withService(async (service) => {
    expect((await service.get("/api/v1/games/ember", { key: ci.key })).status).toBe(200);
    const sent = await service.post("/api/telemetry", { events: [] }, { key: build.key });
    expect(sent.status).toBe(202);
  });
  const used = (await fixture.run(["keys", "list"])).json.keys;
  expect(used.map(({ lastUsedAt }: { lastUsedAt: number }) => lastUsedAt)).toEqual([day, day]);
  expect(await fixture.show(["keys", "list"])).toMatch(/just now +today /);
  fixture.clock.now += DAY_MS;
  expect(await fixture.show(["keys", "list"])).toMatch(/1d ago +yesterday /);
  fixture.clock.now += DAY_MS;
  expect(await fixture.show(["keys", "list"])).toMatch(/2d ago +\d{4}-\d\d-\d\d /);
});

test("create does not limit a key to the game of the environment", async () => {
  await fixture.run(["games", "create", "ember"]);
  const { json } = await fixture.run(["keys", "create"], { env: { PLAYTEST_GAME: "ember" } });
  expect(json.game).toBeNull();
});

test("revoke deletes one key, given by its id or as the key itself", async () => {
  await fixture.run(["games", "create", "ember"]);
  const [one, two, kept] = [
    (await fixture.run(["keys", "create", "--name", "one"])).json,
    (await fixture.run(["keys", "create", "--name", "ci", "--kind", "management"])).json,
    (await fixture.run(["keys", "create"])).json,
  ];
  const revoked = await fixture.run(["keys", "revoke", one.id, "--yes"]);
  expect([revoked.code, revoked.err, revoked.json.revoked.id]).toEqual([0, "", one.id]);
  expect((await fixture.run(["keys", "revoke", two.key, "--yes"])).json.revoked.id).toBe(two.id);
  const { keys } = (await fixture.run(["keys", "list"])).json;
  expect(keys.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
  await fixture.withService(async (service) => {
    const answer = await service.get("/api/v1/games", { key: two.key });
    expect([answer.status, answer.json]).toEqual([401, { error: "Invalid key" }]);
    expect((await service.post("/api/telemetry", {}, { key: one.key })).status).toBe(401);
  });
  const { items } = (await fixture.run(["audit", "list", "--action", "keys.revoke"])).json;
  expect(items.map(({ target }: { target: string }) => target).sort()).toEqual([one.id, two.id].sort());
  expect(JSON.stringify(items)).not.toContain(two.key);
});

test("revoke asks first, and refuses the management key of the account and keys of other accounts", async () => {
  await fixture.run(["games", "create", "ember"]);
  const own = (await fixture.run(["keys", "rotate"])).json;
  const ingest = (await fixture.run(["keys", "create"])).json;
  await fixture.run(["accounts", "create", "Other"]);
  const unconfirmed = await fixture.run(["keys", "revoke", ingest.id]);
  expect([unconfirmed.code, unconfirmed.err]).toEqual([2, expect.stringContaining("Add --yes")]);
  const refused = await fixture.run(["keys", "revoke", own.id, "--yes"]);
  expect([refused.code, refused.err]).toEqual([45, expect.stringContaining("playtest admin keys rotate")]);
  expect((await fixture.run(["keys", "revoke", ingest.id, "--yes", "--account", "Other"])).code).toBe(44);
  expect((await fixture.run(["keys", "list"])).json.keys).toHaveLength(2);
});

test("rotate keeps named keys, and updates only the profiles that contain the replaced key", async () => {
  await fixture.run(["games", "create", "ember"]);
  const { key: old } = (await fixture.run(["keys", "rotate"])).json;
  const named = (await fixture.run(["keys", "create", "--name", "ci", "--kind", "management"])).json;
  const baseUrl = "https://studio.test";
  const profile = (key: string) => ({ baseUrl, game: "ember", keys: { management: { key, baseUrl } } });
  const configDir = join(fixture.folder, "config");
  await writeConfig(configDir, {
    profiles: {
      mine: profile(old),
      ci: profile(named.key),
      other: profile("pt_mgmt_other"),
      bare: { baseUrl },
    },
  });
  const { key, profiles } = (await fixture.run(["keys", "rotate", "--yes"])).json;
  expect(profiles).toEqual(["mine"]);
  expect(readConfig(configDir).profiles).toEqual({
    mine: profile(key),
    ci: profile(named.key),
    other: profile("pt_mgmt_other"),
    bare: { baseUrl },
  });
  await fixture.withService(async (service) => {
    expect((await service.get("/api/v1/games", { key: named.key })).status).toBe(200);
    expect((await service.get("/api/v1/games", { key: old })).status).toBe(401);
  });
});

test("doctor says that a key has expired", async () => {
  const argv = ["keys", "create", "--name", "ci", "--kind", "management", "--expires", "1h"];
  const { key, expiresAt } = (await fixture.run(argv)).json;
  fixture.clock.now = expiresAt;
  await fixture.withService(async (service) => {
    const run = await runCli(["doctor", "--json"], {
      service,
      env: { PLAYTEST_KEY: key },
      home: fixture.folder,
    });
    const { checks } = JSON.parse(run.out) as { checks: { name: string; found: string }[] };
    const check = checks.find(({ name }) => name === "management key");
    const expired = `Key expired at ${new Date(expiresAt).toISOString()}`;
    expect(check?.found).toBe(`The key from PLAYTEST_KEY has expired (${expired})`);
  });
});

test("doctor warns about a key that expires soon", async () => {
  const soon = (
    await fixture.run(["keys", "create", "--name", "ci", "--kind", "management", "--expires", "5d"])
  ).json;
  const later = (await fixture.run(["keys", "create", "--expires", "90d"])).json;
  await fixture.withService(async (service) => {
    const env = { PLAYTEST_KEY: soon.key, PLAYTEST_INGEST_KEY: later.key };
    const { out } = await runCli(["doctor", "--json"], { service, env, home: fixture.folder });
    const { checks } = JSON.parse(out) as {
      checks: { name: string; status: string; facts: object; found: string }[];
    };
    const [management, ingest] = ["management key", "ingest key"].map((name) =>
      checks.find((check) => check.name === name),
    );
    expect(management).toMatchObject({ status: "warn", facts: { expiresAt: soon.expiresAt } });
    expect(management?.found).toContain(new Date(soon.expiresAt).toISOString());
    expect(ingest).toMatchObject({ status: "ok", facts: { expiresAt: later.expiresAt } });
  });
});

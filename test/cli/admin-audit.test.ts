/** Tests of admin audit, and of what administrative commands record. */
import { expect, test } from "vitest";
import { readStoredText } from "../engine.ts";
import { runCli } from "../harness.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

async function change(...argv: string[]) {
  fixture.clock.now += 1000;
  const { code, err, json } = await fixture.run(argv);
  expect([argv, code, err]).toEqual([argv, 0, ""]);
  return json;
}

const list = async (...flags: string[]) => (await fixture.run(["audit", "list", ...flags])).json;
const actions = async (...flags: string[]) =>
  (await list(...flags)).items.map(({ action }: { action: string }) => action);

test("records every command that changes something, with the id of what it changed", async () => {
  const { game } = await change("games", "create", "ember");
  const { key, id } = await change("keys", "create");
  const { account, managementKey } = await change("accounts", "create", "Other");
  const { items, total, hasMore } = await list();
  expect([total, hasMore]).toEqual([3, false]);
  const entry = (facts: object) => ({ id: expect.stringMatching(/^chg_/), actor: "operator", ...facts });
  expect(items).toEqual([
    entry({
      action: "accounts.create",
      target: account.id,
      accountId: account.id,
      at: fixture.clock.now,
      detail: {},
    }),
    entry({
      action: "keys.create",
      target: id,
      accountId: game.userId,
      at: fixture.clock.now - 1000,
      detail: expect.objectContaining({ kind: "ingest", game: null }),
    }),
    entry({
      action: "games.create",
      target: game.id,
      accountId: game.userId,
      at: fixture.clock.now - 2000,
      detail: {},
    }),
  ]);
  for (const secret of [key, managementKey]) expect(JSON.stringify(items)).not.toContain(secret);
});

test("records nothing for commands that read, fail or change nothing", async () => {
  await change("games", "create", "ember");
  await change("games", "create", "ember");
  await change("games", "list");
  await change("keys", "list");
  await change("games", "sdk", "ember");
  expect((await fixture.run(["games", "rename", "nosuch", "New"])).code).toBe(44);
  expect((await fixture.run(["keys", "create", "--bind", "nosuch"])).code).toBe(44);
  expect(await actions()).toEqual(["games.create"]);
  await change("games", "sdk", "ember", "--branding", "on");
  expect(await actions()).toEqual(["games.sdk", "games.create"]);
});

test("filters by action, group of actions, time and target, and returns pages", async () => {
  const { game } = await change("games", "create", "ember");
  await change("keys", "create");
  const since = new Date(fixture.clock.now).toISOString();
  await change("keys", "rotate");
  await change("games", "rename", "ember", "Ember Hollow");
  expect(await actions("--action", "keys")).toEqual(["keys.rotate", "keys.create"]);
  expect(await actions("--action", "keys.rotate")).toEqual(["keys.rotate"]);
  expect(await actions("--action", "key")).toEqual([]);
  expect(await actions("--since", since)).toEqual(["games.rename", "keys.rotate", "keys.create"]);
  expect(await actions("--target", game.id)).toEqual(["games.rename", "games.create"]);
  expect(await list("--limit", "1", "--offset", "1")).toMatchObject({
    items: [{ action: "keys.rotate" }],
    total: 4,
    hasMore: true,
  });
  expect(await actions("--all")).toHaveLength(4);
  expect(await fixture.show(["audit", "list"])).toMatch(/^TIME +ACTION +TARGET +DETAIL +ACTOR\n/);
});

test("finds sessions and handles by their ids, but does not contain them", async () => {
  await change("games", "create", "ember");
  const { session } = await change(
    "sessions",
    "add",
    "--game",
    "ember",
    "--notes",
    "Everyone missed the lever.",
  );
  await change("handles", "create", "wren-the-tester", "--game", "ember");
  expect(await actions("--target", session.id)).toEqual(["sessions.add"]);
  expect(await actions("--target", "wren-the-tester")).toEqual(["handles.create"]);
  expect(await actions("--target", "robin")).toEqual([]);
  const text = JSON.stringify(await list());
  for (const personal of [session.id, "wren", "lever"]) expect(text).not.toContain(personal);
});

test("records what server commands change", async () => {
  const options = { home: fixture.folder, clock: fixture.clock };
  const event = { id: "e1", name: "jump", timestamp: fixture.clock.now };
  const stdin = `${JSON.stringify({ gameId: "ember", clientSessionId: "s1", events: [event], sessionEnded: true })}\n`;
  const argv = ["server", "import", "-", "--create-games", "--database", fixture.file];
  for (let run = 0; run < 2; run += 1) expect((await runCli(argv, { ...options, stdin })).code).toBe(0);
  expect(await list()).toMatchObject({
    items: [{ action: "server.import", detail: { files: 1, events: 1 } }],
    total: 1,
  });
  expect(await readStoredText(fixture.file)).toContain("server.import");
  const prune = ["server", "prune", "--keep-sessions", "0", "--yes", "--database", fixture.file];
  fixture.clock.now += 3_600_000;
  for (let run = 0; run < 2; run += 1) expect((await runCli(prune, options)).code).toBe(0);
  expect(await actions()).toEqual(["server.prune", "server.import"]);
  expect((await list()).items[0]).toMatchObject({ actor: "operator", detail: { deletedSessions: 1 } });
});

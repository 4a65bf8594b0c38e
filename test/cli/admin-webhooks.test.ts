/** Tests of admin webhooks: they are added, listed, tested and removed, their secrets are shown once, and doctor names failing ones. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freshFolder, runCli } from "../harness.ts";
import { isSigned, type Receiver, startReceiver, status } from "../webhooks/receiver.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const add = (url: string, ...more: string[]) =>
  fixture.run(["webhooks", "add", url, "--on", "bug-report,session.failed", ...more]);
const list = async () => (await fixture.run(["webhooks", "list"])).json.webhooks;

test("shows the secret only once, and never the path of the URL", async () => {
  const added = await add("https://hooks.slack.com/services/T0/B0/token?x=1");
  expect(added.code).toBe(0);
  expect(added.json).toMatchObject({
    secret: expect.stringMatching(/^whsec_/),
    webhook: {
      id: expect.stringMatching(/^whk_/),
      url: "https://hooks.slack.com/…",
      format: "slack",
      on: ["bug-report", "session.failed"],
      game: null,
      pending: 0,
      failingSince: null,
    },
  });
  const listed = JSON.stringify(await list()) + (await fixture.show(["webhooks", "list", "--wide"]));
  expect(listed).toContain(added.json.webhook.id);
  for (const hidden of ["token", added.json.secret.slice(6)]) {
    expect(JSON.stringify(added.json.webhook) + listed + added.err).not.toContain(hidden);
  }
  const shown = await fixture.show(["webhooks", "add", receiver.url, "--on", "bug-report"]);
  expect(shown).toMatch(/Secret +whsec_\S+\n.*\n?Format +json\n/s);
});

test("chooses the format and the game that the flags name, but no game of the environment", async () => {
  await fixture.run(["games", "create", "ember"]);
  const named = await add("https://example.com", "--format", "discord", "--game", "ember");
  expect(named.json.webhook).toMatchObject({ url: "https://example.com", format: "discord", game: "ember" });
  const env = { PLAYTEST_GAME: "ember" };
  const other = await fixture.run(["webhooks", "add", "https://example.com", "--on", "bug-report"], { env });
  expect(other.json.webhook.game).toBeNull();
  // Both were added at the same time, so their ids decide the order.
  expect((await list()).map(({ game }: { game: string | null }) => game).toSorted()).toEqual(["ember", null]);
  expect((await add("https://example.com", "--game", "nosuch")).code).toBe(44);
});

describe("statuses of commits", () => {
  const TOKEN = "ghp_secret0123";
  const env = { PLAYTEST_WEBHOOK_TOKEN: TOKEN, PLAYTEST_TOKEN_KEY: "7".repeat(64) };
  const repository = () => `http://127.0.0.1:${receiver.port}/repos/studio/ember`;
  const addRepository = (more: readonly string[] = [], url = repository(), given: object = env) =>
    fixture.run(["webhooks", "add", url, "--format", "github-status", "--name", "github", ...more], {
      env: { ...given },
    });

  test("never show the token, and are tested by reading the repository", async () => {
    const added = await addRepository();
    expect([added.code, added.err]).toEqual([0, ""]);
    const { webhook } = added.json;
    expect(webhook).toMatchObject({ name: "github", format: "github-status", on: ["gate.decided"] });
    receiver.reply(status(200, {}, "{}"));
    const tested = await fixture.run(["webhooks", "test", webhook.id], { env });
    expect([tested.code, tested.json]).toMatchObject([0, { accepted: true, status: 200 }]);
    const [request] = receiver.requests;
    expect([request?.path, request?.headers.authorization, request?.body]).toEqual([
      ...["/repos/studio/ember", `Bearer ${TOKEN}`, ""],
    ]);
    const shown = `${JSON.stringify(await list())}${JSON.stringify(added.json)}${tested.err}`;
    expect(shown).not.toContain(TOKEN);
    const audit = await fixture.run(["audit"]);
    expect(JSON.stringify(audit.json)).not.toContain(TOKEN);
  });

  test("need the key that the token was stored with", async () => {
    const { webhook } = (await addRepository()).json;
    const test = (given: object) => fixture.run(["webhooks", "test", webhook.id], { env: { ...given } });
    expect((await test({})).err).toContain("PLAYTEST_TOKEN_KEY is not set");
    expect((await test({ PLAYTEST_TOKEN_KEY: "8".repeat(64) })).err).toContain("stored with another key");
    expect(receiver.requests).toEqual([]);
  });

  test("read the key from a file", async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, "key"), `${"7".repeat(64)}\n`);
    const file = join(folder, "key");
    const added = await addRepository([], repository(), {
      ...{ PLAYTEST_WEBHOOK_TOKEN: TOKEN, PLAYTEST_TOKEN_KEY_FILE: file },
    });
    expect(added.code).toBe(0);
    const none = await addRepository(["--name", "other"], repository(), {
      ...{ PLAYTEST_WEBHOOK_TOKEN: TOKEN, PLAYTEST_TOKEN_KEY_FILE: join(folder, "nosuch") },
    });
    expect([none.code, none.err]).toEqual([3, expect.stringContaining("Cannot read")]);
  });

  test.each([
    [
      "a URL that is no repository",
      "https://api.github.com/studio/ember",
      [],
      env,
      2,
      "the URL of a repository",
    ],
    ["other events", undefined, ["--on", "bug-report"], env, 2, "only shows gates"],
    ["no key", undefined, [], { PLAYTEST_WEBHOOK_TOKEN: TOKEN }, 3, "PLAYTEST_TOKEN_KEY is not set"],
    ["a bad key", undefined, [], { ...env, PLAYTEST_TOKEN_KEY: "abc" }, 3, "64 hexadecimal digits"],
    ["no token", undefined, [], { ...env, PLAYTEST_WEBHOOK_TOKEN: "" }, 2, "No token provided"],
    ["a name that could be an id", undefined, ["--name", "whk_1"], env, 2, "is not a name"],
  ])("refuse %s", async (_what, url, more, given, code, message) => {
    const refused = await addRepository(more, url, given);
    expect([refused.code, refused.err]).toEqual([code, expect.stringContaining(message)]);
    expect((await fixture.run(["webhooks", "list"])).json?.webhooks ?? []).toEqual([]);
  });

  test("have names of their own", async () => {
    await addRepository();
    const again = await addRepository();
    expect([again.code, again.err]).toEqual([
      45,
      expect.stringContaining("already has a webhook called github"),
    ]);
  });
});

test.each([
  ["http://169.254.169.254/x", "metadata address"],
  ["http://example.com/token", "unencrypted"],
  ["https://user:token@example.com/", "password"],
  ["token", "not a URL"],
  ["ftp://example.com/token", "http or https"],
])("refuses %s without showing its secret", async (url, message) => {
  const { code, err } = await add(url);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).not.toContain("token");
});

test("sends a signed test event now, and shows the response", async () => {
  const { json } = await add(receiver.url);
  const words = ["webhooks", "test", json.webhook.id];
  receiver.reply(status(200, {}, "ok \u001b[31mred"));
  const sent = await fixture.run(words);
  expect([sent.code, sent.json]).toMatchObject([0, { accepted: true, status: 200 }]);
  const [request] = receiver.requests;
  expect(request?.json).toMatchObject({ type: "webhook.test", data: { webhookId: json.webhook.id } });
  expect(request && (await isSigned(request, json.secret))).toBe(true);
  const shown = await fixture.show(words);
  expect(shown).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/… returned status 200: ok /);
  expect(shown).not.toContain("\u001b[31mred");
  receiver.reply(status(404));
  expect(await fixture.run(words)).toMatchObject({ code: 10, json: { accepted: false, status: 404 } });
  await receiver.close();
  const failed = await fixture.run(words);
  expect([failed.code, failed.err]).toEqual([51, expect.stringContaining("ECONNREFUSED")]);
  expect((await fixture.run(["webhooks", "test", "whk_none"])).code).toBe(44);
});

test("removes a webhook with the events that wait for it", async () => {
  const { json } = await add(receiver.url);
  const remove = ["webhooks", "remove", json.webhook.id];
  expect((await fixture.run(remove)).code).toBe(2);
  expect(await list()).toHaveLength(1);
  expect((await fixture.run([...remove, "--yes"])).json).toEqual({ removed: json.webhook.id, pending: 0 });
  expect((await fixture.run(["webhooks", "list"])).json?.webhooks ?? []).toEqual([]);
  expect((await fixture.run([...remove, "--yes"])).code).toBe(44);
  const { items } = (await fixture.run(["audit", "list", "--action", "webhooks"])).json;
  const changes = items.map(({ action, target }: Record<string, string>) => `${action} ${target}`);
  expect(changes.sort()).toEqual([`webhooks.add ${json.webhook.id}`, `webhooks.remove ${json.webhook.id}`]);
  expect(JSON.stringify(items)).not.toMatch(/whsec_|\/hook/);
});

test("doctor names the webhooks that fail, without their URLs", async () => {
  await fixture.run(["games", "create", "ember"]);
  const { json: keys } = await fixture.run(["keys", "rotate", "--yes"]);
  const { json: ingest } = await fixture.run(["keys", "create"]);
  const { json } = await add(receiver.url);
  receiver.reply(status(500), status(204));
  await fixture.withService(async (service) => {
    const examine = async () => {
      const env = { PLAYTEST_KEY: keys.key, PLAYTEST_INGEST_KEY: ingest.key };
      const { out } = await runCli(["doctor", "--json"], { service, env });
      const checks: { name: string; status: string; found: string }[] = JSON.parse(out).checks;
      return checks.find(({ name }) => name === "webhooks");
    };
    expect(await examine()).toMatchObject({ status: "ok", found: "None of 1 fails" });
    const body = { gameId: "ember", title: "t", description: "d", idempotencyKey: "k" };
    await service.post("/api/telemetry/bug-report", body, { key: ingest.key });
    await service.deliveries.drain();
    expect(await examine()).toMatchObject({
      status: "warn",
      found: `Failing: ${json.webhook.id} to 127.0.0.1:${receiver.port}: The receiver returned status 500 (1 waiting)`,
    });
    service.clock.now += 3_600_000;
    await service.deliveries.drain();
    expect(await examine()).toMatchObject({ status: "ok" });
  });
});

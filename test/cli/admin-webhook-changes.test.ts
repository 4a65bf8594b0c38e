/** Webhooks whose receiver fails or changes: events are sent again, secrets and tokens are replaced, and failures are audited once. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { gateClosed } from "../../src/server/notifications/events.ts";
import {
  MAX_AGE_MS,
  MAX_BACKOFF_MS,
  MAX_BODY_LENGTH,
  MAX_KEPT,
} from "../../src/server/notifications/limits.ts";
import { queueEvent } from "../../src/server/notifications/outbox.ts";
import { DAY_MS, HOUR_MS } from "../../src/shared/time-units.ts";
import { NOW, type TestService } from "../harness.ts";
import { isSigned, type Receiver, startReceiver, status } from "../webhooks/receiver.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

let receiver: Receiver;
let key: string;
beforeEach(async () => {
  receiver = await startReceiver();
  await fixture.run(["games", "create", "ember"]);
  key = (await fixture.run(["keys", "create"])).json.key;
});
afterEach(() => receiver.close());

const add = async () =>
  (await fixture.run(["webhooks", "add", receiver.url, "--on", "bug-report", "--name", "tracker"])).json;
const list = async () => (await fixture.run(["webhooks", "list"])).json.webhooks;
const replay = (since: string | number) =>
  fixture.run(["webhooks", "replay", "tracker", "--since", new Date(since).toISOString()]);
const failures = async () => {
  const { items } = (await fixture.run(["audit", "list", "--action", "webhooks", "--limit", "100"])).json;
  return items
    .filter(({ actor }: { actor: string }) => actor === "service")
    .map(
      ({ action, detail }: { action: string; detail: { failure: string } }) => `${action} ${detail.failure}`,
    )
    .toReversed();
};

/** Reports a bug, and sends what is due. */
async function report(service: TestService, name: string) {
  const body = { gameId: "ember", title: name, description: "d", idempotencyKey: name };
  expect((await service.post("/api/telemetry/bug-report", body, { key })).status).toBe(200);
  await service.deliveries.drain();
}
async function wait(service: TestService, ms: number) {
  fixture.clock.now += ms;
  await service.deliveries.drain();
}

const sent = () =>
  receiver.requests.map(({ headers, json }) => [headers["webhook-id"], json.data.bugReport.title]);

describe("a replay", () => {
  test("sends again what was delivered or dropped since a time, with the same ids", async () => {
    await add();
    await fixture.withService(async (service) => {
      await report(service, "before");
      fixture.clock.now += HOUR_MS;
      await report(service, "delivered");
      receiver.reply(status(500));
      await report(service, "dropped");
      await wait(service, MAX_AGE_MS);
      expect(await list()).toMatchObject([{ pending: 0, delivered: 2, dropped: 1, failure: "server_error" }]);
      const first = sent();
      receiver.requests.length = 0;
      receiver.reply(status(204));
      const replayed = await replay(NOW + HOUR_MS);
      expect([replayed.code, replayed.json]).toMatchObject([
        0,
        { sent: { delivered: 1, dropped: 1, waiting: 0 }, left: 0, keptSince: null },
      ]);
      expect(await list()).toMatchObject([{ pending: 2, waitingSince: fixture.clock.now }]);
      await service.deliveries.drain();
      const byTitle = (requests: typeof first, title: string) => requests.find(([, name]) => name === title);
      expect(sent().toSorted()).toEqual(
        ["delivered", "dropped"].map((title) => byTitle(first, title)).toSorted(),
      );
      expect(await list()).toMatchObject([{ pending: 0, waitingSince: null, failure: null }]);
    });
  });

  test("waits up to a day for the receiver again, however old the events are", async () => {
    await add();
    await fixture.withService(async (service) => {
      await report(service, "old");
      receiver.reply(status(500));
      await wait(service, 2 * DAY_MS);
      await replay(NOW);
      await service.deliveries.drain();
      expect(await list()).toMatchObject([{ pending: 1, dropped: 0 }]);
      await wait(service, MAX_AGE_MS);
      expect(await list()).toMatchObject([{ pending: 0, dropped: 1 }]);
    });
  });

  test("tries an event for at most 7 days, however often it is replayed", async () => {
    await add();
    await fixture.withService(async (service) => {
      receiver.reply(status(500));
      await report(service, "old");
      await wait(service, 6.5 * DAY_MS);
      await replay(NOW);
      await service.deliveries.drain();
      expect(await list()).toMatchObject([{ pending: 1, dropped: 1 }]);
      await wait(service, DAY_MS / 2);
      expect(await list()).toMatchObject([{ pending: 0, dropped: 2 }]);
    });
  });

  test("sends what waits for a retry now", async () => {
    await add();
    await fixture.withService(async (service) => {
      receiver.reply(status(500), status(204));
      await report(service, "waiting");
      expect((await replay(NOW)).json.sent).toEqual({ delivered: 0, dropped: 0, waiting: 1 });
      await service.deliveries.drain();
      expect(receiver.requests).toHaveLength(2);
    });
  });

  test.each([
    ["first", 0],
    ["last", MAX_AGE_MS],
  ])("is neither dropped nor delayed by the %s attempt before it, which fails meanwhile", async (_, ms) => {
    await add();
    await fixture.withService(async (service) => {
      receiver.reply(status(500));
      await report(service, "event");
      let refuse = () => {};
      receiver.reply((response) => {
        refuse = () => void response.writeHead(500).end();
      }, status(204));
      fixture.clock.now += Math.max(ms, MAX_BACKOFF_MS);
      const sending = service.deliveries.drain();
      await receiver.waitFor(2);
      expect((await replay(NOW)).json.sent).toEqual({ delivered: 0, dropped: 0, waiting: 1 });
      refuse();
      await sending;
      await service.deliveries.drain();
      expect(receiver.requests).toHaveLength(3);
      expect(await list()).toMatchObject([{ pending: 0, delivered: 1, dropped: 0 }]);
    });
  });

  test("says which events are no longer kept", async () => {
    await add();
    await fixture.withService(async (service) => {
      await report(service, "old");
      await wait(service, 7 * DAY_MS);
      const { readDb } = service.service.store;
      expect(await readDb.selectFrom("kept_deliveries").select("id").execute()).toEqual([]);
      const none = await replay(NOW);
      expect(none.json).toMatchObject({ sent: { delivered: 0 }, keptSince: NOW });
      const shown = await fixture.show(["webhooks", "replay", "tracker", "--since", "8d"]);
      expect(shown).toMatch(
        /^0 events to send again: .*\nEvents up to 2026-03-01T12:00:00.000Z are no longer/,
      );
    });
  });

  test("keeps only the newest events of a webhook", async () => {
    const { webhook } = await add();
    await fixture.withService(async (service) => {
      await report(service, "first");
      const { writeDb } = service.service.store;
      const row = await writeDb.selectFrom("kept_deliveries").selectAll().executeTakeFirstOrThrow();
      const copies = Array.from({ length: MAX_KEPT }, (_, at) => ({
        ...{ ...row, id: `evt_${at}`, created_at: NOW + 1 + at, result: "delivered" as const },
      }));
      for (let from = 0; from < copies.length; from += 100)
        await writeDb
          .insertInto("kept_deliveries")
          .values(copies.slice(from, from + 100))
          .execute();
      fixture.clock.now += HOUR_MS;
      await report(service, "last");
      expect((await replay(NOW)).json).toMatchObject({
        ...{ sent: { delivered: MAX_KEPT }, keptSince: NOW + 1, left: 0 },
      });
      expect(webhook.id).toMatch(/^whk_/);
    });
  });

  test("keeps new events, and older ones no longer, after the clock was set back", async () => {
    await add();
    await fixture.withService(async (service) => {
      const { writeDb } = service.service.store;
      fixture.clock.now += 400 * DAY_MS;
      await report(service, "ahead");
      await writeDb.updateTable("webhooks").set({ kept_since: fixture.clock.now }).execute();
      fixture.clock.now = NOW;
      await report(service, "new");
      expect(await replay(NOW)).toMatchObject({ json: { sent: { delivered: 2 }, keptSince: NOW } });
      await wait(service, 7 * DAY_MS);
      await wait(service, HOUR_MS);
      expect(await writeDb.selectFrom("kept_deliveries").select("id").execute()).toEqual([]);
    });
  });

  test("does not send what was too large to be stored, and says so", async () => {
    const { webhook } = await add();
    await fixture.withService(async ({ service }) => {
      const [game] = await service.store.readDb.selectFrom("games").select(["account_id", "id"]).execute();
      const answer = "x".repeat(MAX_BODY_LENGTH);
      const event = () =>
        gateClosed(
          { id: "gate_1", a: "1", b: "2", environment: "production", commit_hash: null },
          { slug: "ember" },
          answer,
        );
      const to = { webhookId: webhook.id, path: null };
      await service.store.write((db) =>
        queueEvent(
          db,
          service,
          { account_id: game?.account_id ?? "", game_id: game?.id ?? "" },
          "gate.closed",
          event,
          to,
        ),
      );
    });
    expect(await list()).toMatchObject([{ pending: 0, dropped: 1 }]);
    const shown = await fixture.show(["webhooks", "replay", "tracker", "--since", "1h"]);
    expect(shown).toBe(
      "0 events to send again: 0 delivered, 0 dropped and 0 waiting.\n1 event cannot be sent: larger than 64 kB.\n",
    );
    expect(await replay(NOW)).toMatchObject({ json: { sent: { dropped: 0 }, left: 0, tooLarge: 1 } });
    expect(await list()).toMatchObject([{ pending: 0 }]);
  });

  test("needs a time and a webhook", async () => {
    await add();
    expect(await fixture.run(["webhooks", "replay", "tracker"])).toMatchObject({ code: 2 });
    expect(await fixture.run(["webhooks", "replay", "nosuch", "--since", "1h"])).toMatchObject({ code: 44 });
  });

  test("is audited with what it sent again", async () => {
    const { webhook } = await add();
    await fixture.withService((service) => report(service, "one"));
    await replay(NOW);
    const { items } = (await fixture.run(["audit", "list", "--action", "webhooks.replay"])).json;
    expect(items).toMatchObject([{ target: webhook.id, detail: { since: NOW, delivered: 1 } }]);
  });
});

test("a rotated secret and the one before both sign requests until the overlap ends", async () => {
  const { secret: old } = await add();
  const rotated = await fixture.run(["webhooks", "rotate-secret", "tracker", "--overlap", "2d"]);
  const { secret, oldSecretUntil } = rotated.json;
  expect(oldSecretUntil).toBe(NOW + 2 * DAY_MS);
  expect(secret).not.toBe(old);
  expect(await list()).toMatchObject([{ oldSecretUntil }]);
  const signedBy = async () => {
    const request = receiver.requests.at(-1);
    const signatures = String(request?.headers["webhook-signature"]).split(" ");
    const check = (signature: string, by: string) =>
      request &&
      isSigned({ ...request, headers: { ...request.headers, "webhook-signature": signature } }, by);
    return await Promise.all(
      signatures.map(async (signature) =>
        (await check(signature, secret)) ? "new" : (await check(signature, old)) ? "old" : "none",
      ),
    );
  };
  await fixture.withService(async (service) => {
    await report(service, "during");
    expect(await signedBy()).toEqual(["new", "old"]);
    fixture.clock.now = oldSecretUntil;
    await report(service, "after");
    expect(await signedBy()).toEqual(["new"]);
    // It is not stored any longer.
    const stored = await service.service.store.readDb.selectFrom("webhooks").selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(old.slice(6));
  });
  const { json } = await fixture.run(["webhooks", "rotate-secret", "tracker", "--overlap", "0"]);
  expect(json.oldSecretUntil).toBeNull();
  const audit = JSON.stringify((await fixture.run(["audit", "list"])).json);
  for (const hidden of [old, secret, json.secret]) expect(audit).not.toContain(hidden.slice(6));
});

describe("the token of a repository", () => {
  const env = { PLAYTEST_WEBHOOK_TOKEN: "ghp_old", PLAYTEST_TOKEN_KEY: "7".repeat(64) };
  const url = () => `http://127.0.0.1:${receiver.port}/repos/studio/ember`;
  const addRepository = () =>
    fixture.run(["webhooks", "add", url(), "--format", "github-status", "--name", "github"], { env });

  test("is replaced, and the webhook stays", async () => {
    const { webhook } = (await addRepository()).json;
    const changed = await fixture.run(["webhooks", "set-token", "github"], {
      env: { ...env, PLAYTEST_WEBHOOK_TOKEN: "ghp_new" },
    });
    expect([changed.code, changed.err]).toEqual([0, ""]);
    await fixture.run(["webhooks", "test", webhook.id], { env });
    expect(receiver.requests[0]?.headers.authorization).toBe("Bearer ghp_new");
    expect(await fixture.run(["webhooks", "rotate-secret", "github"])).toMatchObject({ code: 45 });
    const stored = await fixture.withService(({ service }) =>
      service.store.readDb.selectFrom("webhooks").selectAll().execute(),
    );
    expect(JSON.stringify(stored)).not.toContain("ghp_new");
    await add();
    const signed = await fixture.run(["webhooks", "set-token", "tracker"], { env });
    expect([signed.code, signed.err]).toEqual([45, expect.stringContaining("rotate-secret")]);
  });

  test("has no secret of signatures, and a test says what it did not verify", async () => {
    expect((await addRepository()).json).not.toHaveProperty("secret");
    const tested = await fixture.run(["webhooks", "test", "github"], { env });
    expect(tested.json).toMatchObject({
      accepted: true,
      verified: ["the token can read the repository from this machine"],
      notVerified: [
        expect.stringContaining("may write statuses"),
        expect.stringContaining("PLAYTEST_TOKEN_KEY"),
      ],
    });
  });
});

describe("the audit", () => {
  test("has one entry when a kind of failure begins, and one when it has ended", async () => {
    await add();
    await fixture.withService(async (service) => {
      receiver.reply(status(500));
      await report(service, "one");
      await report(service, "two");
      await wait(service, MAX_BACKOFF_MS);
      expect(await failures()).toEqual(["webhooks.failing server_error"]);
      receiver.reply(status(302));
      await wait(service, MAX_BACKOFF_MS);
      expect(await failures()).toEqual(["webhooks.failing server_error", "webhooks.failing redirect"]);
      expect(await list()).toMatchObject([{ failure: "redirect", failingSince: NOW }]);
      receiver.reply(status(204));
      await wait(service, MAX_BACKOFF_MS);
      await wait(service, HOUR_MS);
      expect((await failures()).slice(2).toSorted()).toEqual([
        "webhooks.recovered redirect",
        "webhooks.recovered server_error",
      ]);
    });
  });

  test("has no entries for each event if only some of them fail", async () => {
    await add();
    await fixture.withService(async (service) => {
      for (let at = 0; at < 10; at += 1) {
        receiver.reply(status(503), status(204));
        await report(service, `event ${at}`);
        await wait(service, 60_000);
      }
      expect(await failures()).toEqual(["webhooks.failing server_error"]);
    });
  });
});

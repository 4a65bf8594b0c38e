/** Events on their way to webhooks, over real sockets: what is sent, when it is sent again, and what it never holds up. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DeliveryInfo } from "../../../src/server/core/observer.ts";
import { noopObserver } from "../../../src/server/core/observer.ts";
import { setLimit } from "../../../src/server/db/budgets/budget-queries.ts";
import type { WebhookRow } from "../../../src/server/db/schema.ts";
import {
  declareWinner,
  resumeExperiment,
  stopExperiment,
} from "../../../src/server/experiments/lifecycle.ts";
import { deleteOrphans } from "../../../src/server/notifications/delivery-queries.ts";
import { type WebhookEvent, webhookEvents } from "../../../src/server/notifications/events.ts";
import {
  BURST_MS,
  LEASE_MS,
  MAX_AGE_MS,
  MAX_ATTEMPTS,
  MAX_BACKOFF_MS,
  MAX_PENDING,
} from "../../../src/server/notifications/limits.ts";
import { claimDelivery, findWebhooks } from "../../../src/server/notifications/notification-queries.ts";
import { createWebhook } from "../../../src/server/notifications/webhooks.ts";
import { DAY_MS, HOUR_MS } from "../../../src/shared/time-units.ts";
import { detectFormat } from "../../../src/webhooks/body.ts";
import { NOW, openTestStore, startTestService, type TestService } from "../../harness.ts";
import { breakOff, isSigned, type Receiver, startReceiver, status } from "../../webhooks/receiver.ts";
import { alter, copySession, DAY, experiment, sit } from "../experiments/helpers.ts";
import { createEvents, sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
let receiver: Receiver;
let gameId: string;
let seen: DeliveryInfo[];
let faults: unknown[];
beforeEach(async () => {
  seen = [];
  faults = [];
  const observer = { ...noopObserver, delivery: (info: DeliveryInfo) => void seen.push(info) };
  const clock = { now: NOW };
  let next = 0;
  service = await startTestService({
    clock,
    dependencies: {
      now: () => clock.now,
      newId: (kind) => `${kind}_${(next++).toString(16).padStart(24, "0")}`,
      observer,
      report: (...fault) => void faults.push(fault),
    },
  });
  gameId = await service.addGame("ember", "Ember Hollow");
  receiver = await startReceiver();
});
afterEach(async () => {
  expect(faults).toEqual([]);
  await receiver.close();
  await service.stop();
});

interface HookOptions {
  readonly url?: string;
  readonly on?: readonly WebhookEvent[];
  readonly game?: string | null;
  readonly format?: WebhookRow["format"];
  readonly accountId?: string;
}

/** Adds a webhook of the account, of all games and events by default. */
async function addWebhook(options: HookOptions = {}): Promise<WebhookRow> {
  const { url = receiver.url, on = webhookEvents, game = null, accountId = service.accountId } = options;
  const format = options.format ?? detectFormat(new URL(url));
  const target = { url, format, events: on, gameId: game };
  return await createWebhook(service.service.store.writeDb, service.service, accountId, target);
}

const play = async (clientSessionId: string, more: object = {}) =>
  await sendTelemetry(service, {
    gameId: "ember",
    clientSessionId,
    deviceId: "secret-device",
    testerHandle: "secret-tester",
    sessionMetadata: { gameVersion: "0.9.0", platform: "x" },
    sessionEnded: true,
    events: createEvents(["crash_reported", "a"], NOW - 60_000),
    ...more,
  });

const report = (more: object = {}) =>
  service.post("/api/telemetry/bug-report", {
    gameId: "ember",
    title: "The door @everyone",
    description: "I have <both> keys.",
    severity: "high",
    idempotencyKey: "k1",
    ...more,
  });

/** Analyzes what is due, and sends what is due. */
async function work() {
  await service.analysis.drain();
  await service.deliveries.drain();
}

/** Lets the longest wait pass, and sends what is due then. */
async function workLater(ms = MAX_BACKOFF_MS) {
  service.clock.now += ms;
  await work();
}

const hooks = async () => await findWebhooks(service.service.store.readDb, service.accountId);
const types = () => receiver.requests.map(({ json }) => json.type);
const ids = () => receiver.requests.map(({ headers }) => headers["webhook-id"]);

describe("a burst of events", () => {
  const reportMany = async (count: number, prefix: string) => {
    for (let at = 0; at < count; at += 1)
      expect((await report({ idempotencyKey: `${prefix}${at}`, playerId: "p" })).status).toBe(200);
  };
  const titles = () => receiver.requests.map(({ json }) => json.embeds[0].title);

  it("is one message about all but the first event of a minute, without words of players", async () => {
    await addWebhook({ format: "discord", on: ["bug-report"] });
    await reportMany(1, "first");
    await work();
    await reportMany(12, "more");
    await work();
    expect(titles()).toHaveLength(1);
    await workLater(BURST_MS);
    expect(titles()).toEqual(["Bug report\\: The door \\@everyone", "12 bug reports in the last minute"]);
    const [embed] = receiver.requests[1]?.json.embeds ?? [];
    expect(embed.description).toBe("Ember Hollow\n`playtest bug-reports list --game ember`");
    await workLater(BURST_MS);
    await reportMany(1, "later");
    await work();
    expect(titles()[2]).toBe("Bug report\\: The door \\@everyone");
  });

  it("is gathered for each kind and game of its own, and not at all for programs", async () => {
    await addWebhook({ format: "discord" });
    await reportMany(1, "a");
    await play("one", { events: createEvents(["a"], NOW - 60_000) });
    await work();
    expect(titles().sort()).toEqual([
      "Bug report\\: The door \\@everyone",
      expect.stringMatching(/^Session analyzed/),
    ]);
    receiver.requests.length = 0;
    await addWebhook({ on: ["bug-report"] });
    await reportMany(5, "b");
    await work();
    expect(types()).toEqual(Array(5).fill("bug-report"));
  });

  it("waits beyond the budget of the account, without losing an event", async () => {
    await setLimit(service.service.store.writeDb, `account:${service.accountId}`, "webhook-messages", 3);
    await addWebhook({ on: ["bug-report"] });
    await reportMany(5, "a");
    await work();
    expect(types()).toHaveLength(3);
    await workLater(HOUR_MS);
    expect(types()).toHaveLength(3);
    expect((await hooks())[0]).toMatchObject({ pending: 2, dropped: 0 });
    await workLater(DAY_MS);
    expect(types()).toHaveLength(5);
  });
});

describe("an event", () => {
  it("is sent once, signed, with its data and without the tester's names", async () => {
    const { secret, id } = await addWebhook({ on: ["session.analyzed"] });
    const session = await play("one");
    await work();
    await workLater();
    expect(receiver.requests).toHaveLength(1);
    const [request] = receiver.requests;
    expect(request && (await isSigned(request, secret))).toBe(true);
    expect(request?.headers["webhook-timestamp"]).toBe(String(NOW / 1000));
    expect(request?.json).toMatchObject({
      type: "session.analyzed",
      timestamp: "2026-03-01T12:00:00.000Z",
      data: {
        game: { id: gameId, slug: "ember", name: "Ember Hollow" },
        session: { id: session, build: "0.9.0", environment: "production" },
        insights: { negative: 1, positive: 0 },
        tags: [expect.stringContaining("bug-report:")],
        reanalysis: false,
      },
    });
    expect(request?.body).not.toContain("secret-");
    expect(await hooks()).toMatchObject([{ id, pending: 0, delivered: 1, dropped: 0, failing_since: null }]);
    expect(seen).toMatchObject([
      { webhookId: id, attempt: 1, result: "delivered", status: 204, error: null },
    ]);
  });

  it("is only sent to the webhooks of its account and game that want it", async () => {
    const other = await service.addAccount("other");
    const tide = await service.addGame("tide");
    await addWebhook({ on: ["bug-report"] });
    await addWebhook({ on: ["session.analyzed"], game: tide });
    await addWebhook({ accountId: other.accountId });
    await play("one");
    await work();
    expect(types()).toEqual([]);
    await report();
    await work();
    expect(types()).toEqual(["bug-report"]);
  });

  it("of a repeated analysis is only sent if new data has changed the findings", async () => {
    await addWebhook({ on: ["session.analyzed"] });
    const sessionId = await play("one");
    await work();
    const { writeDb } = service.service.store;
    await writeDb.updateTable("sessions").set({ analysis_version: 1 }).execute();
    await service.analysis.drain({ outdated: true });
    // New data without new findings.
    await sendTelemetry(service, {
      gameId: "ember",
      sessionId,
      events: [{ id: "late", name: "x", timestamp: NOW - 59_500 }],
      sessionEnded: true,
    });
    await work();
    expect(types()).toHaveLength(1);
    await report({ sessionId });
    await work();
    expect(receiver.requests.map(({ json }) => json.data.reanalysis)).toEqual([false, true]);
  });

  it("reports an analysis that failed permanently", async () => {
    await addWebhook({ on: ["session.failed"] });
    const sessionId = await play("one", { sessionEnded: false });
    await service.service.store.writeDb.deleteFrom("event_batches").execute();
    await sendTelemetry(service, { gameId: "ember", sessionId, sessionEnded: true });
    await work();
    expect(faults.splice(0)).not.toEqual([]);
    expect(receiver.requests.map(({ json }) => json.data)).toMatchObject([
      { session: { id: sessionId }, reason: expect.stringContaining("damaged") },
    ]);
  });

  it("reports a bug report once, in the format of the webhook", async () => {
    await addWebhook({ on: ["bug-report"] });
    await addWebhook({ on: ["bug-report"], format: "discord" });
    await addWebhook({ on: ["bug-report"], format: "slack" });
    for (let repeat = 0; repeat < 2; repeat += 1) expect((await report()).status).toBeLessThan(300);
    await work();
    expect(receiver.requests).toHaveLength(3);
    const bodies = receiver.requests.map(({ json }) => json);
    expect(bodies.find(({ type }) => type)).toMatchObject({
      type: "bug-report",
      data: { bugReport: { title: "The door @everyone", severity: "high", sessionId: null } },
    });
    expect(JSON.stringify(bodies.find(({ embeds }) => embeds))).toContain("The door \\\\@everyone");
    expect(JSON.stringify(bodies.find(({ blocks }) => blocks))).toContain("I have &lt;both&gt; keys.");
    expect(new Set(ids()).size).toBe(1);
  });
});

describe("the decision of an experiment", () => {
  it("is announced once when a winner is declared, and again after it was resumed", async () => {
    await addWebhook({ on: ["experiment.decided"] });
    const id = await experiment(service, "ember");
    const declare = (key: string) =>
      alter(service, id, (db, row) => declareWinner(db, service.service, row, key));
    await declare("bright");
    await declare("control");
    await work();
    expect(receiver.requests.map(({ json }) => json.data)).toEqual([
      {
        game: { id: gameId, slug: "ember", name: "Ember Hollow" },
        experiment: { id, name: "Caves" },
        variant: { key: "bright", name: "Brighter caves" },
        decidedBy: "declaration",
      },
    ]);
    await alter(service, id, (db, row) => stopExperiment(db, row, NOW));
    await alter(service, id, (db, row) => resumeExperiment(db, row));
    await declare("control");
    await work();
    expect(receiver.requests.at(-1)?.json.data.variant.key).toBe("control");
  });

  it("is announced once when the verdict is to ship or to stop for the first time", async () => {
    const id = await experiment(service, "ember");
    const start = NOW - 30 * DAY;
    const visit = (deviceId: string, key: string | null, at = start) =>
      sit(service, "ember", { deviceId, at, ...(key === null ? {} : { tags: { [id]: key } }) });
    const players = [await visit("a", "control"), await visit("b", "bright")];
    // Nothing is compared without a webhook.
    await service.decisions.check();
    expect(
      await service.service.store.readDb.selectFrom("experiment_decisions").selectAll().execute(),
    ).toEqual([]);
    await addWebhook({ on: ["experiment.decided"] });
    await service.decisions.check();
    await work();
    expect(types()).toEqual([]);
    for (const player of players) await copySession(service, player, 799);
    await copySession(service, await visit("a", null, start + DAY), 500);
    await service.decisions.check();
    await work();
    // The last comparison was a moment ago.
    expect(types()).toEqual([]);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      service.clock.now += 10 * 60_000;
      await service.decisions.check();
      await work();
    }
    expect(receiver.requests.map(({ json }) => json.data)).toMatchObject([
      { experiment: { id }, variant: { key: "control" }, decidedBy: "comparison" },
    ]);
  });
});

describe("a failed attempt", () => {
  it("is repeated later with the same id, after an error status, a broken connection and an outage", async () => {
    await addWebhook({ on: ["bug-report"] });
    receiver.reply(status(500), breakOff, status(302, { location: "/" }), status(204));
    await report();
    await work();
    expect(await hooks()).toMatchObject([
      { pending: 1, failing_since: NOW, last_error: "The receiver returned status 500" },
    ]);
    // Too early for the second attempt.
    await work();
    expect(receiver.requests).toHaveLength(1);
    await workLater();
    const { port } = receiver;
    await receiver.close();
    await workLater();
    expect(await hooks()).toMatchObject([
      { pending: 1, failing_since: NOW, last_error: "Cannot connect (ECONNREFUSED)" },
    ]);
    const before = receiver.requests;
    receiver = await startReceiver(port);
    await workLater();
    expect(receiver.requests).toHaveLength(1);
    expect(await hooks()).toMatchObject([
      { pending: 0, delivered: 1, failing_since: null, last_error: null },
    ]);
    expect(new Set([...before, ...receiver.requests].map(({ headers }) => headers["webhook-id"])).size).toBe(
      1,
    );
    expect(seen.map(({ result, status: code, attempt }) => [result, code, attempt])).toEqual([
      ["retry", 500, 1],
      ["retry", null, 2],
      ["retry", null, 3],
      ["delivered", 204, 4],
    ]);
  });

  it("is repeated when the receiver asks for, within limits", async () => {
    await addWebhook({ on: ["bug-report"] });
    receiver.reply(
      status(429, { "retry-after": "600" }),
      status(503, { "retry-after": "99999999" }),
      status(204),
    );
    await report();
    await work();
    await workLater(599_000);
    expect(receiver.requests).toHaveLength(1);
    await workLater(1000);
    expect(receiver.requests).toHaveLength(2);
    await workLater(MAX_BACKOFF_MS);
    expect(receiver.requests).toHaveLength(3);
  });

  it("is the last one after the maximum number of attempts, or a day", async () => {
    await addWebhook({ on: ["bug-report"] });
    receiver.reply(status(500));
    await report();
    await work();
    const { store } = service.service;
    await store.writeDb
      .updateTable("webhook_deliveries")
      .set({ attempts: MAX_ATTEMPTS - 1 })
      .execute();
    await workLater();
    expect(await hooks()).toMatchObject([{ pending: 0, delivered: 0, dropped: 1, failing_since: NOW }]);
    await report({ idempotencyKey: "k2" });
    await work();
    expect(await hooks()).toMatchObject([{ pending: 1, dropped: 1 }]);
    await workLater(MAX_AGE_MS);
    expect(await hooks()).toMatchObject([{ pending: 0, dropped: 2 }]);
    expect(seen.map(({ result }) => result)).toEqual(["retry", "dropped", "retry", "dropped"]);
  });

  it("to a refused address is named", async () => {
    await addWebhook({ on: ["bug-report"], url: "http://169.254.169.254/hook" });
    await report();
    await work();
    expect(await hooks()).toMatchObject([{ last_error: expect.stringContaining("metadata address") }]);
  });
});

describe("limits", () => {
  it("drop events that a full outbox cannot take, and count them", async () => {
    await addWebhook({ on: ["bug-report"] });
    receiver.reply(status(500));
    await report();
    await work();
    const { store } = service.service;
    const row = await store.readDb.selectFrom("webhook_deliveries").selectAll().executeTakeFirstOrThrow();
    const copies = Array.from({ length: MAX_PENDING - 1 }, (_, n) => ({ ...row, id: `evt_${n}` }));
    for (let from = 0; from < copies.length; from += 100)
      await store.writeDb
        .insertInto("webhook_deliveries")
        .values(copies.slice(from, from + 100))
        .execute();
    await report({ idempotencyKey: "k2" });
    expect(await hooks()).toMatchObject([{ pending: MAX_PENDING, dropped: 1 }]);
    expect(seen.at(-1)).toMatchObject({
      ...{ type: "bug-report", attempt: 0, result: "dropped" },
      ...{ status: null, failure: null, error: "The outbox is full" },
    });
  });

  it("allow 20 webhooks per account", async () => {
    for (let n = 0; n < 20; n += 1) await addWebhook();
    await expect(addWebhook()).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("a receiver that does not respond", () => {
  it("holds up neither ingest, nor the analysis, nor other webhooks", async () => {
    const slow = await startReceiver();
    slow.reply(() => {});
    await addWebhook({ url: slow.url });
    await addWebhook();
    await play("one");
    await service.analysis.drain();
    await slow.waitFor(1);
    const second = await play("two");
    await service.analysis.drain();
    expect((await service.get(`/api/v1/sessions/${second}`)).json.session.status).toBe("analyzed");
    await receiver.waitFor(2);
    expect(slow.requests).toHaveLength(1);
    expect((await service.get("/api/v1/webhooks")).json.webhooks).toMatchObject([
      { host: `127.0.0.1:${slow.port}`, pending: 2 },
      { delivered: expect.any(Number), failingSince: null },
    ]);
    await slow.close();
    await service.deliveries.drain();
  });

  it("gets one event at a time", async () => {
    receiver.reply((response) => void setTimeout(() => response.writeHead(204).end(), 5));
    await addWebhook({ on: ["bug-report"] });
    for (let n = 0; n < 10; n += 1) await report({ idempotencyKey: `k${n}` });
    await work();
    expect([receiver.requests.length, receiver.maxOpen]).toEqual([10, 1]);
  });
});

describe("a server that ended during an attempt", () => {
  it("leaves the event to the next one, once its lease has expired", async () => {
    await addWebhook({ on: ["bug-report"] });
    receiver.reply(status(500), status(204));
    await report();
    await work();
    service.clock.now += MAX_BACKOFF_MS;
    const { store } = service.service;
    // The other server has claimed the event and then ended.
    expect(await store.write((db) => claimDelivery(db, service.service, service.clock.now))).not.toBeNull();
    await work();
    expect(receiver.requests).toHaveLength(1);
    await workLater(LEASE_MS);
    expect(receiver.requests).toHaveLength(2);
    expect(new Set(ids()).size).toBe(1);
    expect(await hooks()).toMatchObject([{ lease: null, delivered: 1 }]);
  });

  it("does not lose the event if it was stopped, and does not count the attempt", async () => {
    await addWebhook({ on: ["bug-report"] });
    receiver.reply(() => {}, status(204));
    await report();
    await receiver.waitFor(1);
    const database = service.service.store;
    const { stop } = service;
    const rows: unknown[] = [];
    // Read what is stored at the end, just before the database is closed.
    const { close } = database;
    Object.assign(database, {
      close: async () => {
        rows.push(
          await database.readDb.selectFrom("webhook_deliveries").select(["attempts"]).execute(),
          await database.readDb.selectFrom("webhooks").select(["lease"]).execute(),
        );
        await close();
      },
    });
    await stop();
    expect(rows).toEqual([[{ attempts: 0 }], [{ lease: null }]]);
    service = await startTestService();
  });
});

it("forgets events whose webhook was removed while they were added", async () => {
  const { store } = service.service;
  const row = { id: "evt_1", game_id: gameId, type: "bug-report", body: "{}" };
  const rest = {
    session_id: null,
    player_id: null,
    gate_id: null,
    path: null,
    replayed_at: null,
    attempts: 0,
  };
  await store.writeDb
    .insertInto("webhook_deliveries")
    .values({ webhook_id: "whk_gone", ...row, ...rest, created_at: NOW, due_at: NOW })
    .execute();
  await deleteOrphans(store);
  expect(await store.readDb.selectFrom("webhook_deliveries").selectAll().execute()).toEqual([]);
});

it("sends to a webhook after the clock was set back", async () => {
  await addWebhook({ on: ["bug-report"] });
  receiver.reply(status(500), status(204));
  await report();
  await work();
  service.clock.now -= 365 * DAY;
  await work();
  expect(receiver.requests).toHaveLength(2);
});

it("waits before it reads an outbox again that it could not read when it started", async () => {
  const store = await openTestStore();
  const { schema } = store.writeDb;
  await schema.alterTable("webhook_deliveries").renameTo("hidden").execute();
  const reported: string[] = [];
  const report = (what: string) => {
    reported.push(what);
    // A worker that does not wait would leave no time for anything else.
    if (reported.length > 10) void damaged.deliveries.stop();
  };
  const damaged = await startTestService({ store, dependencies: { now: () => NOW, report } });
  await damaged.deliveries.drain();
  expect(reported.length).toBeLessThanOrEqual(2);
  expect(new Set(reported)).toEqual(new Set(["the outbox of webhooks"]));
  // On Postgres, the next test uses the same database.
  await schema.alterTable("hidden").renameTo("webhook_deliveries").execute();
  await damaged.stop();
});

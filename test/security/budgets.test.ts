/** Attacks with the key of a game, which everybody has who has the game: what they cost is bounded. Counts and bounds, never times. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { toGameSubject } from "../../src/server/db/budgets/budget-queries.ts";
import { budgets, toAddressLimit } from "../../src/server/db/budgets/definitions.ts";
import { defaultRateLimits } from "../../src/server/http/rate-limits.ts";
import { BURST_MS } from "../../src/server/notifications/limits.ts";
import { createWebhook } from "../../src/server/notifications/webhooks.ts";
import { MAX_RUNS } from "../../src/server/sessions/analysis-queue.ts";
import { defaultSessionLimits } from "../../src/server/telemetry/session-limits.ts";
import { NOW, send, startTestService, type TestService } from "../harness.ts";
import { answers, configure, type ScriptedModel, startModel } from "../server/analysis/provider/scripted.ts";
import { type Receiver, startReceiver } from "../webhooks/receiver.ts";

let service: TestService;
let receiver: Receiver;
let model: ScriptedModel;
beforeEach(async () => {
  service = await startTestService();
  await service.addGame("ember");
  receiver = await startReceiver();
  model = await startModel();
});
afterEach(async () => {
  await service.stop();
  await receiver.close();
  await model.stop();
  expect(service.faults).toEqual([]);
});

/** Sends with the key of the game, from another address each time if `spread`. */
async function attack(
  count: number,
  toBody: (at: number) => object,
  { path = "/api/telemetry", spread = false, target = service } = {},
): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const headers = { authorization: `Bearer ${target.keys.ingest}`, "content-type": "application/json" };
    const body = JSON.stringify({ gameId: "ember", ...toBody(at) });
    const address = spread ? `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` : "203.0.113.7";
    statuses.push((await send(target.app, path, { method: "POST", headers, body }, address)).status);
  }
  return statuses;
}

const count = (statuses: readonly number[], status: number) =>
  statuses.filter((each) => each === status).length;

const createEvent = (at: number) => ({
  id: `e${at}`,
  name: "fail",
  timestamp: NOW + at,
  data: { room: "hall" },
});

const addChannel = (events: Parameters<typeof createWebhook>[3]["events"]) =>
  createWebhook(service.service.store.writeDb, service.service, service.accountId, {
    ...{ url: receiver.url, format: "discord", events, gameId: null },
  });

it("160 bug reports make two messages in a chat channel", async () => {
  await addChannel(["bug-report"]);
  const toReport = (at: number) => ({ title: "Bug", description: "x", idempotencyKey: `k${at}` });
  await attack(1, toReport, { path: "/api/telemetry/bug-report" });
  await service.deliveries.drain();
  await attack(159, (at) => toReport(at + 1), { path: "/api/telemetry/bug-report" });
  await service.deliveries.drain();
  expect(receiver.requests).toHaveLength(1);
  service.clock.now += BURST_MS;
  await service.deliveries.drain();
  expect(receiver.requests).toHaveLength(2);
  expect(receiver.requests[1]?.json.embeds[0].title).toBe("159 bug reports in the last minute");
});

it("40 requests with one event to one session make one call to the model and one message a minute", async () => {
  await addChannel(["session.analyzed"]);
  await configure(service, "chat", { base_url: model.baseUrl });
  model.play(answers(() => ({ insights: [] })));
  const toBody = (at: number) => ({
    ...{ clientSessionId: "one", deviceId: "d", sessionEnded: true },
    events: [createEvent(at)],
  });
  const start = service.clock.now;
  for (let at = 0; at < 40; at += 1) {
    await attack(1, () => toBody(at));
    await service.analysis.drain();
    await service.deliveries.drain();
    service.clock.now += 5_000;
  }
  const minutes = Math.ceil((service.clock.now - start) / 60_000);
  expect(model.asked).toHaveLength(1);
  expect(receiver.requests.length).toBeLessThanOrEqual(minutes + 1);
});

it("a session keeps a bounded number of events, whoever sends them, and is analyzed a bounded number of times", async () => {
  const small = await startTestService({ sessionLimits: { ...defaultSessionLimits, events: 2000 } });
  await small.addGame("ember");
  const toBatch = (at: number) => ({
    ...{ clientSessionId: "one", deviceId: `d${at}` },
    events: Array.from({ length: 500 }, (_, n) => createEvent(500 * at + n)),
  });
  await attack(20, toBatch, { target: small, spread: true });
  const { stored } = await small.service.store.readDb
    .selectFrom("event_batches")
    .select((eb) => eb.fn.sum<number>("event_count").as("stored"))
    .executeTakeFirstOrThrow();
  const { total } = (await small.get("/api/v1/sessions?game=ember&limit=1")).json;
  expect(Number(stored)).toBeLessThanOrEqual(2000 * total);
  expect(total).toBeLessThanOrEqual(20);
  let analyses = 0;
  const { analysis } = small.service.observer;
  Object.assign(small.service.observer, {
    analysis: (id: string, run: () => Promise<void>) => {
      analyses += 1;
      return analysis(id, run);
    },
  });
  for (let at = 0; at < 60; at += 1) {
    await attack(1, () => ({ clientSessionId: "one", sessionEnded: true, events: [createEvent(1e6 + at)] }), {
      target: small,
    });
    small.clock.now += 61_000;
    await small.analysis.drain();
  }
  expect(analyses).toBeLessThanOrEqual(MAX_RUNS * total);
  await small.stop();
});

it("40 sessions ask the model only as often as its budget allows", async () => {
  const { limit } = budgets["model-calls"];
  service.service.budgets.addSpent(service.accountId, "model-calls", limit - 10);
  await configure(service, "chat", { base_url: model.baseUrl });
  model.play(answers(() => ({ insights: [] })));
  await attack(40, (at) => ({ deviceId: `d${at}`, sessionEnded: true, events: [createEvent(at)] }));
  await service.analysis.drain();
  expect(model.asked).toHaveLength(10);
  const analyzed = (await service.get("/api/v1/sessions?game=ember&status=analyzed&limit=1")).json.total;
  expect(analyzed).toBe(40);
});

it("a client that changes its ids does not evade the limits of devices", async () => {
  const limited = await startTestService({ limits: defaultRateLimits });
  await limited.addGame("ember");
  const { points } = defaultRateLimits.device;
  const toBody = (at: number) => ({ deviceId: `d${at}`, clientSessionId: "one", events: [createEvent(at)] });
  const statuses = await attack(points + 30, toBody, { target: limited });
  expect([count(statuses, 202), count(statuses, 429)]).toEqual([points, 30]);
  await limited.stop();

  const devices = toAddressLimit("new-devices", budgets["new-devices"].limit) ?? 0;
  const toPlayer = (at: number) => ({ deviceId: `p${at}`, clientSessionId: `p${at}`, events: [] });
  const players = await attack(devices + 20, toPlayer);
  expect([count(players, 202), count(players, 429)]).toEqual([devices, 20]);
});

it("an attacker with many addresses leaves half of a budget to known devices", async () => {
  const gameId = (await service.get("/api/v1/games/ember")).json.game.id as string;
  const row = { subject: toGameSubject(gameId), budget: "sessions", max_use: 400 };
  await service.service.store.writeDb.insertInto("budget_limits").values(row).execute();
  await attack(1, () => ({ deviceId: "known", clientSessionId: "first", events: [] }));
  service.clock.now += 25 * 60 * 60 * 1000;
  const toBody = (at: number) => ({ deviceId: `bot${at}`, clientSessionId: `bot${at}`, events: [] });
  const statuses = await attack(500, toBody, { spread: true });
  expect([count(statuses, 202), count(statuses, 429)]).toEqual([200, 300]);
  const known = await attack(40, (at) => ({ deviceId: "known", clientSessionId: `s${at}`, events: [] }));
  expect(count(known, 202)).toBe(40);
});

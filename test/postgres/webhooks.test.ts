/** Two servers on one database send each event to a webhook once, one at a time. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { findWebhooks } from "../../src/server/notifications/notification-queries.ts";
import { createWebhook } from "../../src/server/notifications/webhooks.ts";
import { freshFolder, startTestService } from "../harness.ts";
import { startReceiver } from "../webhooks/receiver.ts";

const EVENTS = 60;

it("two servers send each event once, one at a time per webhook", async () => {
  const database = join(freshFolder(), "shared.db");
  const first = await startTestService({ database });
  const second = await startTestService({ database, continues: first });
  await first.addGame("ember");
  const receivers = [await startReceiver(), await startReceiver()];
  const { writeDb, readDb } = first.service.store;
  for (const { url } of receivers) {
    const target = { url, format: "json" as const, events: ["bug-report" as const], gameId: null };
    await createWebhook(writeDb, first.service, first.accountId, target);
  }
  for (const receiver of receivers)
    receiver.reply((response) => void setTimeout(() => response.writeHead(204).end(), 2));
  const report = async (n: number) => {
    const server = n % 2 === 0 ? first : second;
    const body = { gameId: "ember", title: `bug ${n}`, description: "d", idempotencyKey: `k${n}` };
    expect((await server.post("/api/telemetry/bug-report", body)).status).toBeLessThan(300);
  };
  await Promise.all(Array.from({ length: EVENTS }, (_, n) => report(n)));
  await Promise.all(receivers.map((receiver) => receiver.waitFor(EVENTS)));
  await Promise.all([first.deliveries.drain(), second.deliveries.drain()]);
  for (const { requests, maxOpen } of receivers) {
    expect(new Set(requests.map(({ headers }) => headers["webhook-id"])).size).toBe(EVENTS);
    expect([requests.length, maxOpen]).toEqual([EVENTS, 1]);
  }
  const hooks = await findWebhooks(readDb, first.accountId);
  expect(hooks.map(({ delivered, pending, lease }) => [delivered, pending, lease])).toEqual([
    [EVENTS, 0, null],
    [EVENTS, 0, null],
  ]);
  expect([first.faults, second.faults]).toEqual([[], []]);
  for (const receiver of receivers) await receiver.close();
  await second.stop();
  await first.stop();
});

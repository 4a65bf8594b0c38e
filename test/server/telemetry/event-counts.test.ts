/** Event counts by period and build are the same as those of each period and build on its own. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventCountPage, EventCounts } from "../../../src/contract/events.ts";
import { type BucketWidth, bucketAt } from "../../../src/shared/calendar.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, sendTelemetry } from "../telemetry-helpers.ts";

const DAY = 24 * 3600_000;
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
  for (let n = 0; n < 24; n += 1) {
    const startedAt = NOW - (n % 6) * 47 * DAY - n * 5 * 3600_000;
    await sendTelemetry(service, {
      ...{ gameId: "maze", clientSessionId: `s${n}`, startedAt, sessionEnded: true },
      environment: n % 3 === 0 ? "staging" : "production",
      sessionMetadata: { gameVersion: n % 2 === 0 ? "1.0" : "2.0" },
      events: n === 5 ? [] : createEvents(["jump", "death", "__proto__"].slice(0, 1 + (n % 3)), startedAt),
    });
  }
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function listAll(query: string): Promise<EventCounts[]> {
  const items: EventCounts[] = [];
  for (let from: number | null | undefined = 0; typeof from === "number"; ) {
    const answer = await service.get(
      `/api/v1/event-counts/maze?${query}${from === 0 ? "" : `&from=${from}`}`,
    );
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    const page: EventCountPage = answer.json;
    items.push(...page.items);
    from = page.next;
  }
  return items;
}

test.each<[BucketWidth, string]>([
  ["hour", "all"],
  ["day", "all"],
  ["week", "all"],
  ["day", "staging"],
  ["week", "production"],
])("by %s in %s environments", async (by, env) => {
  const items = await listAll(`by=${by}&env=${env}`);
  for (const { start, build, environment, sessionCount, byName } of items) {
    const { from, to } = bucketAt(start, by, { from: 0, to: Number.MAX_SAFE_INTEGER });
    const query = `build=${build}&env=${environment}&from=${from}&to=${to}`;
    const { json } = await service.get(`/api/v1/events/maze?${query}`);
    expect([start, sessionCount, byName]).toEqual([start, json.sessionCount, json.byName]);
  }
  if (env !== "all") expect(items.map(({ environment }) => environment)).toEqual(items.map(() => env));
  const { json } = await service.get(`/api/v1/events/maze?env=${env}`);
  expect(items.reduce((sum, { sessionCount }) => sum + sessionCount, 0)).toBe(json.sessionCount);
  const order = items.map(
    ({ start, build, environment }) => `${String(start).padStart(15, "0")} ${build} ${environment}`,
  );
  expect(order).toEqual([...new Set(order)].sort());
});

test("count only the sessions between the bounds", async () => {
  const sessions = (await service.get("/api/v1/sessions?game=maze&limit=100")).json.items;
  const times: number[] = sessions.map(({ recordedAt }: { recordedAt: number }) => recordedAt);
  const [from, to] = [Math.min(...times) + 1, Math.max(...times) - 1];
  const { items } = (await service.get(`/api/v1/event-counts/maze?by=week&from=${to - 3600_000}&to=${to}`))
    .json;
  const inside = times.filter((time) => time >= to - 3600_000 && time <= to).length;
  expect(items.reduce((sum: number, { sessionCount }: EventCounts) => sum + sessionCount, 0)).toBe(inside);
  const all = await service.get(`/api/v1/event-counts/maze?from=${from}&to=${to}`);
  expect(all.status).toBe(200);
  expect((await service.get("/api/v1/event-counts/nosuch")).status).toBe(404);
});

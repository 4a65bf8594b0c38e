/** Rate limits of servers that share a database: they count together, or separately while the database is unreachable. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { openPool } from "../../src/server/db/postgres.ts";
import { createRateLimits } from "../../src/server/http/rate-limits.ts";
import { resolveDatabase } from "../engine.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";

const limits = {
  key: { points: 7, seconds: 60 },
  ip: { points: 100, seconds: 60 },
  telemetry: { points: 100, seconds: 60 },
};

let first: TestService;
let second: TestService;

beforeEach(async () => {
  const address = await resolveDatabase(`${freshFolder()}/play.db`);
  first = await startTestService({ store: await openStore({ database: address }), limits });
  second = await startTestService({
    store: await openStore({ database: address }),
    limits,
    continues: first,
  });
});

afterEach(async () => {
  vi.useRealTimers();
  await first.stop();
  await second.stop();
});

it("several servers accept as many requests of a key as a single server", async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 10; n += 1) statuses.push((await (n % 2 ? first : second).get("/api/v1/games")).status);
  expect(statuses).toEqual([...Array(7).fill(200), ...Array(3).fill(429)]);
  const refused = await second.get("/api/v1/games");
  expect(refused.json.scope).toBe("key");
  expect(refused.json.retryAfterMs).toBeGreaterThan(0);
  expect(refused.json.retryAfterMs).toBeLessThanOrEqual(60_000);
});

it("concurrent requests are each counted once", async () => {
  const requests = Array.from({ length: 40 }, (_, n) => (n % 2 ? first : second).get("/api/v1/games"));
  const statuses = (await Promise.all(requests)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(7);
  expect(statuses.filter((status) => status === 429)).toHaveLength(33);
});

it("the table contains no keys in clear text", async () => {
  await first.get("/api/v1/games");
  const { rows } = await first.service.store.readDb
    .selectFrom("rate_limits" as never)
    .selectAll()
    .execute()
    .then((all) => ({ rows: all as { key: string }[] }));
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(first.keys.management);
});

it("requests are counted in memory while the database is unreachable", async () => {
  const pool = openPool("postgres://nobody@127.0.0.1:1/nothing");
  const rateLimits = createRateLimits(limits, pool, () => 0);
  for (let n = 0; n < 7; n += 1) await rateLimits.take("key", "k1");
  await expect(rateLimits.take("key", "k1")).rejects.toMatchObject({ code: "rate_limited" });
  await pool.end();
});

it("a clock that is set back ends the windows, and concurrent requests are still counted together", async () => {
  const ask = async (server: TestService, times: number) =>
    (await Promise.all(Array.from({ length: times }, () => server.get("/api/v1/games")))).map(
      ({ status, json }) => [status, json.retryAfterMs ?? 0],
    );
  // `first` also remembers in memory that the limit was reached.
  await ask(first, 10);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
  const answers = [...(await ask(second, 20)), ...(await ask(first, 20))];
  expect(answers.filter(([status]) => status === 200)).toHaveLength(7);
  for (const [, retryAfterMs] of answers) expect(retryAfterMs).toBeLessThanOrEqual(60_000);
});

it("a clock that is set back by less than a window only extends the window", async () => {
  for (let n = 0; n < 7; n += 1) await first.get("/api/v1/games");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 30_000 });
  for (const server of [first, second]) {
    const { status, json } = await server.get("/api/v1/games");
    expect(status).toBe(429);
    expect(json.retryAfterMs).toBeGreaterThan(60_000);
    expect(json.retryAfterMs).toBeLessThanOrEqual(120_000);
  }
});

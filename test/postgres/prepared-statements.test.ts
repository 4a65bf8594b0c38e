/** Prepared statements that a connection pooler has lost. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { NOW, startTestService, type TestService } from "../harness.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
  // With one connection, the writes cannot use another one than that whose statements are lost.
  const { pool } = service.service.store;
  if (!pool) return;
  pool.options.max = 1;
  while (pool.totalCount > 1) (await pool.connect()).release(true);
});

afterAll(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const send = async (session: string) => {
  const events = [{ id: `${session}-1`, name: "jump", timestamp: NOW }];
  const body = { gameId: "ember", clientSessionId: session, events };
  return (await service.post("/api/telemetry", body)).status;
};

/** Closes the prepared statements of all connections, as a pooler does that gives a client another connection. */
async function loseStatements(): Promise<number> {
  const { pool } = service.service.store;
  const clients = await Promise.all(Array.from({ length: pool?.totalCount ?? 0 }, () => pool?.connect()));
  const counts = [];
  for (const client of clients) {
    const result = await client?.query("select count(*)::int as n from pg_prepared_statements");
    counts.push(Number(result?.rows[0].n));
    await client?.query("deallocate all");
  }
  for (const client of clients) client?.release();
  return Math.max(...counts);
}

test("writes are repeated without them, alone and in groups, and nothing is stored twice", async () => {
  expect(await send("a")).toBe(202);
  expect(await loseStatements()).toBeGreaterThan(0);
  const statuses = await Promise.all(["b", "c", "d", "a"].map(send));
  expect(statuses).toEqual([202, 202, 202, 202]);
  // From now on, the process prepares none.
  await loseStatements();
  expect(await send("e")).toBe(202);
  expect(await loseStatements()).toBe(0);
  const { json } = await service.get("/api/v1/events/ember");
  expect(json.byName).toEqual({ jump: 5 });
});

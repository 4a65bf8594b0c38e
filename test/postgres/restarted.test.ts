/** The database is killed and restarted under load: acknowledged events are stored once, and other requests return 503. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { startTestService, type TestService } from "../harness.ts";
import { seed } from "../property.ts";
import { createRandom } from "../random.ts";
import { type OwnPostgres, startOwnPostgres } from "./server.ts";

const RESTARTS = process.env.PLAYTEST_FAULTS === "long" ? 40 : 4;
const BODIES = 240;

let database: OwnPostgres;
let service: TestService;

beforeAll(async () => {
  database = await startOwnPostgres();
  const store = await openStore({ database: database.url });
  service = await startTestService({ store });
  await service.addGame("maze");
});

afterAll(async () => {
  await service.stop();
  await database.stop();
});

const createEvents = (n: number) =>
  Array.from({ length: 10 }, (_, at) => ({
    id: `e${n * 10 + at}`,
    name: `step-${at % 3}`,
    timestamp: 1_772_000_000_000 + n,
  }));

it(`neither loses nor duplicates events when the database restarts ${RESTARTS} times (seed ${seed})`, async () => {
  const statuses = new Map<number, number>();
  const countStatus = (status: number) => void statuses.set(status, (statuses.get(status) ?? 0) + 1);
  let acknowledged = 0;
  const post = async (n: number) => {
    for (;;) {
      const body = { gameId: "maze", clientSessionId: `s${n % 6}`, events: createEvents(n) };
      const { status, headers } = await service.post("/api/telemetry", body);
      countStatus(status);
      if (status === 202) break;
      expect([status, headers.get("retry-after")], String(service.faults.at(-1))).toEqual([503, "1"]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    acknowledged += 1;
  };
  let isOver = false;
  const reads = (async () => {
    while (!isOver) {
      const { status } = await service.get("/api/v1/sessions?limit=5");
      countStatus(status);
      expect([200, 503], String(service.faults.at(-1))).toContain(status);
    }
  })();
  let next = 0;
  const lanes = Array.from({ length: 6 }, async () => {
    for (let n = next++; n < BODIES; n = next++) await post(n);
  });
  const share = createRandom(seed);
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    while (acknowledged < ((restart + 1) * BODIES) / (RESTARTS + 2)) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await new Promise((resolve) => setTimeout(resolve, share() * 10));
    await database.kill();
    await database.start();
  }
  await Promise.all(lanes);
  isOver = true;
  await reads;
  expect([...statuses.keys()].every((status) => [200, 202, 503].includes(status))).toBe(true);

  const { store } = service.service;
  const batches = await store.readDb.selectFrom("event_batches").selectAll().execute();
  const ids = batches.flatMap((batch) => decodeIds(batch));
  expect([ids.length, new Set(ids).size]).toEqual([BODIES * 10, BODIES * 10]);
  const sums = await store.readDb.selectFrom("event_rollups").select("count").execute();
  expect(sums.reduce((sum, { count }) => sum + count, 0)).toBe(BODIES * 10);
});

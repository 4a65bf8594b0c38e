/** Every statement about one game is planned for its shard alone. Only known requests ask every shard. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { startTestService, type TestService } from "../harness.ts";
import { ownDatabase } from "../postgres/databases.ts";
import { runOn } from "../postgres/nodes.ts";
import { call, eachEndpoint, makeWorld, samples, type World } from "../server/sample-requests.ts";

let service: TestService;
let world: World;
let drop: () => Promise<unknown>;

beforeAll(async () => {
  const { address, drop: dropDatabase } = await ownDatabase();
  drop = dropDatabase;
  const first = await startTestService({ store: await openStore({ database: address }) });
  world = await makeWorld(first, first, "own");
  // Lists of the account must ask more shards than that of the one game.
  for (let game = 0; game < 8; game += 1) await first.addGame(`other-${game}`);
  await first.stop();
  // Statements that ask several shards now fail.
  const name = new URL(address).pathname.slice(1);
  await runOn(address, `alter database ${name} set citus.multi_task_query_log_level = 'error'`);
  service = await startTestService({ store: await openStore({ database: address }), continues: first });
});
afterAll(async () => {
  await service.stop();
  await drop();
});

/** The requests whose samples name no game: the lists of an account, and lookups by id. */
const ACROSS_GAMES = [
  ...["findIds", "getExperimentComparison", "getInsight", "getSession", "listInsights"],
  ...["listSessionEvents", "listSessions", "submitFeedback"],
];

it("asks every shard only for an account's lists and for lookups by id", async () => {
  const asking: string[] = [];
  for (const [name, endpoint] of eachEndpoint()) {
    const sample = samples[name](world);
    const ingests = !endpoint.keys.includes("management");
    const { status } = await call(service, endpoint, sample, ingests ? { key: service.keys.ingest } : {});
    if (status >= 500) asking.push(name);
  }
  expect(asking.sort()).toEqual(ACROSS_GAMES);
  for (const list of ["sessions", "insights"])
    expect((await service.get(`/api/v1/${list}?game=${world.slug}`)).status).toBe(200);
});

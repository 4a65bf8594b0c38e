/** The service distributes the tables of a Citus database, also one with rows, and refuses a cluster that is not set up for it. */
import { sql } from "kysely";
import { afterAll, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { startTestService, type TestService } from "../harness.ts";
import { createBare, dropDatabase, readNodes, runOn, uniteNodes, withDatabase } from "../postgres/nodes.ts";
import { createEvents, readAllResponses, sendTelemetry } from "../server/telemetry-helpers.ts";

const nodes = readNodes();
const names: string[] = [];

/** Creates databases on all nodes that are not connected yet. Returns the URL of the coordinator's. */
async function createUnconnected(): Promise<{ name: string; address: string }> {
  const name = `own_${process.pid}_bare_${names.length}`;
  names.push(name);
  await createBare(nodes, name);
  return { name, address: withDatabase(nodes[0] ?? "", name) };
}

afterAll(async () => {
  for (const name of names) await dropDatabase(nodes, name);
});

async function startOn(address: string, continues?: TestService): Promise<TestService> {
  const store = await openStore({ database: address });
  return await startTestService(continues ? { store, continues } : { store });
}

it("distributes a database with rows at the next start, and leaves no copy of them behind", async () => {
  const { name, address } = await createUnconnected();
  const plain = await startOn(address);
  for (const game of ["maze", "tower", "river"]) {
    await plain.addGame(game);
    for (const device of ["a", "b"])
      await sendTelemetry(plain, {
        ...{ gameId: game, deviceId: device, clientSessionId: `${game} ${device}`, sessionEnded: true },
        events: createEvents(["start", "player_death", "end"]),
      });
  }
  await plain.analysis.drain();
  const before = await readAllResponses(plain);
  await plain.stop();

  await uniteNodes(nodes, name);
  const sharded = await startOn(address, plain);
  expect(await readAllResponses(sharded)).toEqual(before);
  const local = await sql<{ bytes: number }>`
    select sum(pg_relation_size(logicalrelid)) as bytes from pg_dist_partition
  `.execute(sharded.service.store.readDb);
  expect(Number(local.rows[0]?.bytes)).toBe(0);
  await sendTelemetry(sharded, { gameId: "maze", clientSessionId: "c", events: createEvents(["start"]) });
  expect((await sharded.get("/api/v1/sessions")).json.total).toBe(7);
  await sharded.stop();
});

it("refuses a worker, and a coordinator without an address", async () => {
  const { name, address } = await createUnconnected();
  await uniteNodes(nodes, name, { namesCoordinator: false });
  await expect(openStore({ database: address })).rejects.toMatchObject({
    code: "unusable",
    message: `The Citus cluster of the database ${address} does not know the address of its coordinator`,
    hint: "Run `select citus_set_coordinator_host('<host>', <port>)` in that database.",
  });
  const worker = withDatabase(nodes[1] ?? "", name);
  await expect(openStore({ database: worker })).rejects.toMatchObject({
    code: "unusable",
    message: `The database ${worker} is on a worker of a Citus cluster`,
  });
  const { rowCount } = await runOn(address, "select from pg_tables where schemaname = 'public'");
  expect(rowCount).toBe(0);
});

/** Real server processes: acknowledged events survive a kill, and several processes can share a database. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { createEmptyDatabase, openTestStore } from "../engine.ts";
import { freshFolder } from "../harness.ts";
import { databaseIn, end, endAll, serve } from "./real-server.ts";
import { createEvents, type SentEvent } from "./telemetry-helpers.ts";

afterEach(endAll);

/** Sends events. Returns the response, or null if the server was killed before it responded. */
async function post(url: string, key: string, events: readonly SentEvent[]) {
  try {
    const response = await fetch(`${url}/api/telemetry`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ gameId: "maze", clientSessionId: "one", events }),
    });
    expect(response.status).toBe(202);
    return (await response.json()) as { accepted: number; duplicates: number };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Returns all stored event ids, and the number of events in the counters. */
async function stored(folder: string) {
  const store = await openTestStore(databaseIn(folder));
  const batches = await store.readDb.selectFrom("event_batches").selectAll().execute();
  const session = await store.readDb.selectFrom("sessions").selectAll().executeTakeFirstOrThrow();
  const sums = await store.readDb.selectFrom("event_rollups").select("count").execute();
  await store.close();
  const counts = Object.values(JSON.parse(session.event_counts) as Record<string, number>);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    ids: batches.flatMap((batch) => decodeIds(batch)),
    counted: sum(counts),
    summed: sum(sums.map(({ count }) => count)),
    batches: sum(batches.map((batch) => batch.event_count)),
  };
}

const all = createEvents(Array.from({ length: 4000 }, (_, n) => `name-${n % 5}`));
const partOf = (n: number) => all.slice(n * 20, n * 20 + 20);

describe("a server", () => {
  it("that is killed while it stores events has stored all acknowledged ones, each once and completely", async () => {
    const folder = freshFolder();
    const server = await serve(folder, "first");
    const acknowledged = new Set<string>();
    const key = server.ingestKey ?? "";
    let sent = 0;
    const client = async () => {
      for (let part = sent++; part < 200; part = sent++) {
        if (!(await post(server.url, key, partOf(part)))) return;
        for (const { id } of partOf(part)) acknowledged.add(id);
      }
    };
    const clients = Array.from({ length: 4 }, client);
    while (acknowledged.size < 600 && server.process.exitCode === null) await sleep(1);
    await end(server.process, "SIGKILL");
    await Promise.all(clients);
    expect(server.process.signalCode).toBe("SIGKILL");

    const after = await stored(folder);
    expect(new Set(after.ids).size).toBe(after.ids.length);
    expect([...acknowledged].filter((id) => !after.ids.includes(id))).toEqual([]);
    expect(after.ids.length % 20).toBe(0);
    expect([after.counted, after.summed, after.batches]).toEqual(Array(3).fill(after.ids.length));

    const again = await serve(folder, "second");
    let [accepted, duplicates] = [0, 0];
    for (let part = 0; part < 200; part += 1) {
      const receipt = await post(again.url, key, partOf(part));
      accepted += receipt?.accepted ?? 0;
      duplicates += receipt?.duplicates ?? 0;
    }
    expect([accepted, duplicates]).toEqual([all.length - after.ids.length, after.ids.length]);
    await end(again.process, "SIGTERM");
    expect(again.process.signalCode).toBeNull();
    const whole = await stored(folder);
    expect([whole.ids.length, whole.counted, whole.summed]).toEqual([4000, 4000, 4000]);
    expect(new Set(whole.ids).size).toBe(4000);
  });

  it("that shares its database with another one stores each event once", async () => {
    const folder = freshFolder();
    const first = await serve(folder, "first");
    const second = await serve(folder, "second");
    const key = first.ingestKey ?? "";
    expect(second.ingestKey).toBeUndefined();
    const posts = Array.from({ length: 40 }, (_, n) => {
      const part = all.slice((n >> 1) * 30, (n >> 1) * 30 + 50);
      return post(n % 2 ? first.url : second.url, key, n % 3 ? part : part.toReversed());
    });
    const receipts = await Promise.all(posts);
    const accepted = receipts.reduce((sum, receipt) => sum + (receipt?.accepted ?? 0), 0);
    for (const { process: child } of [first, second]) await end(child, "SIGTERM");
    const { ids, counted, summed } = await stored(folder);
    expect([accepted, ids.length, new Set(ids).size, counted, summed]).toEqual(Array(5).fill(19 * 30 + 50));
  });

  it("that starts concurrently with others on a new database uses the same account, and only one prints the keys", async () => {
    const folder = freshFolder();
    await createEmptyDatabase(databaseIn(folder));
    const servers = await Promise.all(["first", "second", "third"].map((name) => serve(folder, name)));
    expect(servers.filter(({ managementKey }) => managementKey !== undefined)).toHaveLength(1);
    for (const { process: child } of servers) await end(child, "SIGTERM");
    const store = await openTestStore(databaseIn(folder));
    expect(await store.readDb.selectFrom("accounts").select("name").execute()).toEqual([{ name: "local" }]);
    expect(await store.readDb.selectFrom("games").select("slug").execute()).toEqual([{ slug: "maze" }]);
    await store.close();
  });
});

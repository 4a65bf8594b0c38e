/** Checks a database after a load with kills. */
import { expect } from "vitest";
import type { Store } from "../../src/server/db/store.ts";
import { createEvent, type LoadResult } from "./load-with-kills.ts";
import { countPositions, readCounters, readEventIds, readSessionEvents, recountRows } from "./recount.ts";

/** Checks that everything acknowledged is stored once, counters match the rows, and nothing is incomplete. */
export async function expectConsistent(store: Store, load: LoadResult): Promise<void> {
  const acknowledged = [...load.sessions.values()].flatMap((ids) => [...ids]);
  expect(acknowledged.length).toBeGreaterThan(0);
  expect((await readEventIds(store)).sort()).toEqual(acknowledged.sort());

  let positions = 0;
  for (const [session, ids] of load.sessions) {
    const sent = Array.from(ids, (_, n) => createEvent(session, n));
    expect(await readSessionEvents(store, session)).toEqual(sent);
    positions += sent.filter(({ name }) => name === "player_pos").length;
  }
  const { total, inBlocks } = await countPositions(store);
  expect(total).toBe(positions);
  expect(inBlocks).toBeGreaterThan(0);

  const sessions = await store.readDb.selectFrom("sessions").selectAll().execute();
  const states = sessions.map((row) => `${row.status} ${row.analysis_lease} ${row.analysis_due}`);
  expect([...new Set(states)]).toEqual(["analyzed null null"]);
  expect(
    sessions
      .map((row) => row.client_session_id)
      .filter((id) => id !== null)
      .sort(),
  ).toEqual([...load.sessions.keys()].sort());
  const threads = await store.readDb.selectFrom("chat_threads").select("channel_id").execute();
  const channels = threads.map(({ channel_id }) => channel_id);
  expect(channels.sort()).toEqual([...load.channels].sort());
  expect(sessions.length).toBe(load.sessions.size + channels.length);
  expect(await readCounters(store)).toEqual(await recountRows(store));

  const games = await store.readDb.selectFrom("games").select("slug").execute();
  expect(games.map(({ slug }) => slug)).toEqual(expect.arrayContaining([...load.games]));
  const experiments = await store.readDb.selectFrom("experiments").select("id").execute();
  expect(experiments.map(({ id }) => id)).toEqual(expect.arrayContaining([...load.experiments]));
  const keys = await store.readDb
    .selectFrom("keys")
    .select("kind")
    .where("kind", "=", "management")
    .execute();
  expect(keys).toHaveLength(1);
}

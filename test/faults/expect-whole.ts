/** What must hold of a database after all that was done to it. */
import { expect } from "vitest";
import type { Store } from "../../src/server/db/store.ts";
import { countedSums, eventsOfSession, keptSums, storedIds, storedPositions } from "./recount.ts";
import { eventOf, type Played } from "./under-load.ts";

/** Everything that was acknowledged is stored once, sums are what counting gives, and nothing is left half done. */
export async function expectWhole(store: Store, played: Played): Promise<void> {
  const wanted = [...played.sessions.values()].flatMap((ids) => [...ids]);
  expect(wanted.length).toBeGreaterThan(0);
  expect((await storedIds(store)).sort()).toEqual(wanted.sort());

  let positions = 0;
  for (const [session, ids] of played.sessions) {
    const sent = Array.from(ids, (_, n) => eventOf(session, n));
    expect(await eventsOfSession(store, session)).toEqual(sent);
    positions += sent.filter(({ name }) => name === "player_pos").length;
  }
  const { total, inBlocks } = await storedPositions(store);
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
  ).toEqual([...played.sessions.keys()].sort());
  const threads = await store.readDb.selectFrom("chat_threads").select("channel_id").execute();
  const channels = threads.map(({ channel_id }) => channel_id);
  expect(channels.sort()).toEqual([...played.channels].sort());
  expect(sessions.length).toBe(played.sessions.size + channels.length);
  expect(await keptSums(store)).toEqual(await countedSums(store));

  const games = await store.readDb.selectFrom("games").select("slug").execute();
  expect(games.map(({ slug }) => slug)).toEqual(expect.arrayContaining([...played.games]));
  const experiments = await store.readDb.selectFrom("experiments").select("id").execute();
  expect(experiments.map(({ id }) => id)).toEqual(expect.arrayContaining([...played.experiments]));
  const keys = await store.readDb
    .selectFrom("keys")
    .select("kind")
    .where("kind", "=", "management")
    .execute();
  expect(keys).toHaveLength(1);
}

/** Counts the counters of events again from the stored events, and reads stored events and positions. */

import { type CounterTable, counterTables } from "../../src/server/db/counters.ts";
import { toEpochDay } from "../../src/server/db/days.ts";
import type { Store } from "../../src/server/db/store.ts";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { streamStoredEvents } from "../../src/server/telemetry/batch-queries.ts";
import { listDayCounts } from "../../src/server/telemetry/event-block.ts";
import type { TelemetryEvent } from "../../src/server/telemetry/events.ts";

const tables = Object.keys(counterTables) as CounterTable[];

/** Counters by table and key, without those that are 0. */
export type Counters = Record<CounterTable, Record<string, number>>;

type Row = Record<string, unknown>;

/** The key of a row in a counter table, as text. */
const formatKey = (table: CounterTable, row: Row) =>
  JSON.stringify(counterTables[table].key.map((name) => row[name]));

/** Reads all stored counters. */
export async function readCounters({ readDb: read }: Store): Promise<Counters> {
  const counters = createEmptyCounters();
  for (const table of tables) {
    for (const row of (await read.selectFrom(table).selectAll().execute()) as Row[]) {
      const key = formatKey(table, row);
      counters[table][key] = (counters[table][key] ?? 0) + Number(row[counterTables[table].sum]);
    }
  }
  for (const block of await read.selectFrom("event_count_blocks").selectAll().execute())
    for (const { name, day, count } of listDayCounts(block)) {
      const key = formatKey("event_rollups", { ...block, name, day });
      counters.event_rollups[key] = (counters.event_rollups[key] ?? 0) + count;
    }
  for (const table of tables) {
    for (const [key, count] of Object.entries(counters[table])) if (count === 0) delete counters[table][key];
  }
  return counters;
}

/** Computes all counters from the stored events. */
export async function recountRows(store: Store): Promise<Counters> {
  const counters = createEmptyCounters();
  for (const session of await store.readDb.selectFrom("sessions").selectAll().execute()) {
    const row = { ...session, day: toEpochDay(session.recorded_at) };
    for await (const events of streamStoredEvents(store.readDb, session.game_id, session.id))
      for (const { name } of events)
        for (const table of tables) {
          const key = formatKey(table, { ...row, name });
          counters[table][key] = (counters[table][key] ?? 0) + 1;
        }
  }
  return counters;
}

const createEmptyCounters = (): Counters => ({ event_rollups: {}, event_totals: {} });

/** Reads the event ids of all batches, with duplicates. */
export async function readEventIds({ readDb: read }: Store): Promise<string[]> {
  const ids: string[] = [];
  for (const batch of await read.selectFrom("event_batches").selectAll().execute())
    ids.push(...decodeIds(batch));
  return ids;
}

/** Reads all events of a session by its client session id, sorted by event id. */
export async function readSessionEvents(store: Store, clientSessionId: string): Promise<TelemetryEvent[]> {
  const { game_id, id } = await store.readDb
    .selectFrom("sessions")
    .select(["game_id", "id"])
    .where("client_session_id", "=", clientSessionId)
    .executeTakeFirstOrThrow();
  const events: TelemetryEvent[] = [];
  for await (const batch of streamStoredEvents(store.readDb, game_id, id)) events.push(...batch);
  return events.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Counts the stored positions, and how many of them are in blocks. */
export async function countPositions({ readDb: read }: Store): Promise<{ total: number; inBlocks: number }> {
  const sumPoints = async (table: "position_chunks" | "position_blocks") => {
    const rows = await read.selectFrom(table).select("points").execute();
    return rows.reduce((sum, { points }) => sum + Number(points), 0);
  };
  const inBlocks = await sumPoints("position_blocks");
  return { total: inBlocks + (await sumPoints("position_chunks")), inBlocks };
}

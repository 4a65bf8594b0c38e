/** Counts anew all that is kept as sums beside the rows, from the rows themselves. */

import { type CounterTable, counterTables } from "../../src/server/db/counters.ts";
import type { Store } from "../../src/server/db/store.ts";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { streamStoredEvents } from "../../src/server/telemetry/batch-queries.ts";
import type { TelemetryEvent } from "../../src/server/telemetry/events.ts";

const DAY_MS = 86_400_000;
const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** Sums by table and key, those of 0 left out. */
export type Sums = Record<CounterTable, Record<string, number>>;

type Row = Record<string, unknown>;

/** The table's key of a row, as text. */
const keyOf = (table: CounterTable, row: Row) =>
  JSON.stringify(counterTables[table].key.map((name) => row[name]));

/** Every sum as it is kept. */
export async function keptSums({ readDb: read }: Store): Promise<Sums> {
  const sums = emptySums();
  for (const table of Object.keys(counterTables) as CounterTable[]) {
    for (const row of (await read.selectFrom(table).selectAll().execute()) as Row[]) {
      const count = Number(row[counterTables[table].sum]);
      if (count !== 0) sums[table][keyOf(table, row)] = count;
    }
  }
  return sums;
}

/** Every sum as the sessions, insights, devices and stored events give it. */
export async function countedSums(store: Store): Promise<Sums> {
  const sums = emptySums();
  const add = (table: CounterTable, row: Row, by = 1) => {
    const key = keyOf(table, row);
    sums[table][key] = (sums[table][key] ?? 0) + by;
  };
  for (const session of await store.readDb.selectFrom("sessions").selectAll().execute()) {
    const row = { ...session, day: dayOf(session.recorded_at) };
    add("session_counts", row);
    add("account_session_counts", row);
    add("session_rollups", row);
    add("account_session_day_counts", row);
    for await (const events of streamStoredEvents(store.readDb, session.game_id, session.id)) {
      for (const { name } of events) {
        add("event_rollups", { ...row, name });
        add("event_totals", { ...row, name });
      }
    }
  }
  for (const insight of await store.readDb.selectFrom("insights").selectAll().execute()) {
    const row = { ...insight, day: dayOf(insight.created_at) };
    add("insight_counts", row);
    add("account_insight_counts", row);
    add("insight_day_counts", row);
    add("account_insight_day_counts", row);
  }
  const devices = await store.readDb
    .selectFrom("sessions")
    .select(["game_id", "device_id"])
    .where("device_id", "is not", null)
    .distinct()
    .execute();
  for (const { game_id } of devices) add("game_counts", { game_id });
  return sums;
}

const emptySums = (): Sums =>
  Object.fromEntries(Object.keys(counterTables).map((table) => [table, {}])) as unknown as Sums;

/** The ids of every batch, as often as they are stored. */
export async function storedIds({ readDb: read }: Store): Promise<string[]> {
  const ids: string[] = [];
  for (const { payload } of await read.selectFrom("event_batches").select("payload").execute())
    ids.push(...decodeIds(payload));
  return ids;
}

/** Every event of a client's session, by its id. */
export async function eventsOfSession(store: Store, clientSessionId: string): Promise<TelemetryEvent[]> {
  const { game_id, id } = await store.readDb
    .selectFrom("sessions")
    .select(["game_id", "id"])
    .where("client_session_id", "=", clientSessionId)
    .executeTakeFirstOrThrow();
  const events: TelemetryEvent[] = [];
  for await (const batch of streamStoredEvents(store.readDb, game_id, id)) events.push(...batch);
  return events.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** How many positions lie in chunks and in blocks together. */
export async function storedPositions({ readDb: read }: Store): Promise<{ total: number; inBlocks: number }> {
  const sumOf = async (table: "position_chunks" | "position_blocks") => {
    const rows = await read.selectFrom(table).select("points").execute();
    return rows.reduce((sum, { points }) => sum + Number(points), 0);
  };
  const inBlocks = await sumOf("position_blocks");
  return { total: inBlocks + (await sumOf("position_chunks")), inBlocks };
}

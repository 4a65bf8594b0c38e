/** Recounts all counters from the stored rows, and reads stored events and positions. */

import { type CounterTable, counterTables } from "../../src/server/db/counters.ts";
import type { Store } from "../../src/server/db/store.ts";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { streamStoredEvents } from "../../src/server/telemetry/batch-queries.ts";
import { listDayCounts } from "../../src/server/telemetry/event-block.ts";
import type { TelemetryEvent } from "../../src/server/telemetry/events.ts";

const DAY_MS = 86_400_000;
const toEpochDay = (ms: number): number => Math.floor(ms / DAY_MS);

/** The tables of counters without those of builds, which `readBuildTables` reads. */
type RowCounterTable = Exclude<CounterTable, "build_counts" | "build_durations">;

const rowCounterTables = Object.keys(counterTables).filter(
  (table): table is RowCounterTable => !table.startsWith("build_"),
);

/** Counters by table and key, without those that are 0. */
export type Counters = Record<RowCounterTable, Record<string, number>>;

type Row = Record<string, unknown>;

/** The key of a row in a counter table, as text. Counters of an account are added up over its games. */
const formatKey = (table: RowCounterTable, row: Row) => {
  const key: readonly string[] = counterTables[table].key;
  return JSON.stringify(
    key.filter((name) => key[0] === "game_id" || name !== "game_id").map((name) => row[name]),
  );
};

/** Reads all stored counters. */
export async function readCounters({ readDb: read }: Store): Promise<Counters> {
  const counters = createEmptyCounters();
  for (const table of rowCounterTables) {
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
  for (const table of rowCounterTables) {
    for (const [key, count] of Object.entries(counters[table])) if (count === 0) delete counters[table][key];
  }
  return counters;
}

/** Computes all counters from the sessions, insights, devices and stored events. */
export async function recountRows(store: Store): Promise<Counters> {
  const counters = createEmptyCounters();
  const add = (table: RowCounterTable, row: Row, by = 1) => {
    const key = formatKey(table, row);
    counters[table][key] = (counters[table][key] ?? 0) + by;
  };
  for (const session of await store.readDb.selectFrom("sessions").selectAll().execute()) {
    const row = { ...session, day: toEpochDay(session.recorded_at) };
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
    const row = { ...insight, day: toEpochDay(insight.created_at) };
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
  return counters;
}

const createEmptyCounters = (): Counters =>
  Object.fromEntries(rowCounterTables.map((table) => [table, {}])) as unknown as Counters;

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

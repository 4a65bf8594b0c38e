/** Counts the counters of events again from the stored events, and reads stored events and positions. */

import { toEpochDay } from "../../src/server/db/counters.ts";
import type { EventRollupRow } from "../../src/server/db/schema.ts";
import type { Store } from "../../src/server/db/store.ts";
import { listDayCounts } from "../../src/server/sessions/event-block.ts";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { readBatchesFrom, streamStoredEvents } from "../../src/server/telemetry/batch-queries.ts";
import type { TelemetryEvent } from "../../src/server/telemetry/event-names.ts";

/** Counts of events by the key of their counter, without those that are 0. */
type Counters = Record<string, number>;

type CounterKey = Pick<EventRollupRow, "game_id" | "build" | "environment" | "day" | "name">;

function add(counters: Counters, row: CounterKey, count: number): void {
  const key = JSON.stringify([row.game_id, row.build, row.environment, row.day, row.name]);
  counters[key] = (counters[key] ?? 0) + count;
}

/** Reads all stored counters. */
export async function readCounters({ readDb: read }: Store): Promise<Counters> {
  const counters: Counters = {};
  for (const row of await read.selectFrom("event_rollups").selectAll().execute())
    add(counters, row, Number(row.count));
  for (const block of await read.selectFrom("event_count_blocks").selectAll().execute())
    for (const { name, day, count } of listDayCounts(block)) add(counters, { ...block, name, day }, count);
  return Object.fromEntries(Object.entries(counters).filter(([, count]) => count !== 0));
}

/** Computes all counters from the stored events. */
export async function recountRows(store: Store): Promise<Counters> {
  const counters: Counters = {};
  for (const session of await store.readDb.selectFrom("sessions").selectAll().execute()) {
    const day = toEpochDay(session.recorded_at);
    for await (const events of streamStoredEvents(store.readDb, session.game_id, session.id))
      for (const { name } of events) add(counters, { ...session, day, name }, 1);
  }
  return counters;
}

/** Reads the event ids of all batches, with duplicates. */
export async function readEventIds({ readDb: read }: Store): Promise<string[]> {
  const ids: string[] = [];
  const sessions = await read
    .selectFrom("event_batches")
    .select(["game_id", "session_id"])
    .distinct()
    .execute();
  for (const { game_id, session_id } of sessions)
    for (const batch of await readBatchesFrom(read, game_id, session_id, 0)) ids.push(...decodeIds(batch));
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

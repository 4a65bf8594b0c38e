/** Finds single events of a session: by their ids, or by their names. */
import { skipDamaged } from "../core/stored-data.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { decodeIds, decodeNames, type StoredBatch } from "./batch-codec.ts";
import { measurePayload } from "./batch-compression.ts";
import { BlockReader, decodeEvents, readBatch } from "./batch-queries.ts";
import type { TelemetryEvent } from "./event-names.ts";

type StoredSession = Pick<SessionRow, "game_id" | "id" | "next_batch">;

/** The events of a session with these ids, by time. Events in damaged batches are left out. */
export async function findEventsById(
  db: Db,
  session: StoredSession,
  ids: ReadonlySet<string>,
): Promise<TelemetryEvent[]> {
  const { found } = await searchBatches(db, session, {
    order: Array.from({ length: session.next_batch }, (_, seq) => seq),
    max: ids.size,
    mayContain: (batch) => decodeIds(batch).some((id) => ids.has(id)),
    matches: ({ id }) => ids.has(id),
  });
  return found;
}

/** Events of a session, and what was read to find them. */
interface FoundEvents {
  readonly found: TelemetryEvent[];
  /** Number of bytes of stored batches that were read. */
  readonly bytes: number;
  /** Whether any of the batches that were read is damaged. */
  readonly damaged: boolean;
}

/**
 * The events of a session with these names, by time, at most `max`. A crash is usually reported at the end of a session or,
 * for an earlier one, at its start, so the batches are read from both ends.
 */
export async function findEventsByName(
  db: Db,
  session: StoredSession,
  names: ReadonlySet<string>,
  max: number,
): Promise<FoundEvents> {
  return await searchBatches(db, session, {
    order: listFromBothEnds(session.next_batch),
    max,
    mayContain: (batch) => decodeNames(batch).some((name) => names.has(name)),
    matches: ({ name }) => names.has(name),
  });
}

/** The last number below `count`, the first, the last but one, the second, and so on. */
function listFromBothEnds(count: number): number[] {
  return Array.from({ length: count }, (_, at) => (at % 2 === 0 ? count - 1 - at / 2 : (at - 1) / 2));
}

interface BatchSearch {
  readonly order: readonly number[];
  readonly max: number;
  /** Whether a batch may contain a match. It reads only a part of the batch. */
  readonly mayContain: (batch: StoredBatch) => boolean;
  readonly matches: (event: TelemetryEvent) => boolean;
}

async function searchBatches(
  db: Db,
  session: StoredSession,
  { order, max, mayContain, matches }: BatchSearch,
): Promise<FoundEvents> {
  const positions = new SessionPositions(db, session.game_id, session.id);
  const blocks = new BlockReader(db, session.game_id);
  const found: TelemetryEvent[] = [];
  let [bytes, damaged] = [0, false];
  for (const seq of order) {
    if (found.length >= max) break;
    const batch = await readBatch(db, session.game_id, session.id, seq, blocks);
    if (!batch) continue;
    bytes += measurePayload(batch.payload);
    const events = await skipDamaged(async () =>
      mayContain(batch) ? await decodeEvents(batch, seq, positions) : [],
    );
    if (events === null) damaged = true;
    found.push(...(events ?? []).filter(matches));
  }
  found.sort((a, b) => a.timestamp - b.timestamp);
  return { found: found.slice(0, max), bytes, damaged };
}

/** A cache of the event ids that sessions have stored, for deduplication. Missing entries are read from the database. */
import { DamagedData } from "../core/stored-data.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { decodeIds, type StoredBatch } from "./batch-codec.ts";
import { BlockReader, readBatch, readBatchesFrom } from "./batch-queries.ts";
import type { TelemetryEvent } from "./event-names.ts";
import { type HashFunction, hashId, IdTable } from "./id-table.ts";

interface SeenSession {
  /** The bytes of the table that the total includes. */
  countedBytes: number;
  /** The ids of all batches before this number are in the table. */
  nextBatch: number;
  readonly table: IdTable;
}

/** The session to which events are added. Its row must be locked. */
type LockedSession = Pick<SessionRow, "game_id" | "id" | "next_batch">;

/** Memory limit for all sessions, enough for about 3 million ids. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * The event ids of recently written sessions. Several servers may write to one session; each of them reads the batches of
 * the others from the database.
 */
export class SeenIds {
  readonly #hash: HashFunction;
  readonly #sessions = new Map<string, SeenSession>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ hash = hashId, maxBytes = MAX_BYTES }: { hash?: HashFunction; maxBytes?: number } = {}) {
    this.#hash = hash;
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the events whose ids the session has not stored, each id once, and records them as the session's next batch.
   * If that batch is not stored after all, call `forget`.
   */
  async filterNew(
    db: Db,
    session: LockedSession,
    events: readonly TelemetryEvent[],
  ): Promise<TelemetryEvent[]> {
    const seen = await this.#loadSession(db, session);
    const isStored = createStoredCheck(db, session);
    const fresh: TelemetryEvent[] = [];
    for (const event of events) {
      const batches = seen.table.addNew(event.id, session.next_batch);
      if (batches.length > 0) {
        // Equal hashes almost always mean equal ids, but collisions are possible.
        if (await isStored(event.id, batches, fresh)) continue;
        seen.table.add(event.id, session.next_batch);
      }
      fresh.push(event);
    }
    if (fresh.length > 0) seen.nextBatch = session.next_batch + 1;
    if (this.#sessions.get(session.id) === seen) this.#recount(seen);
    this.#trim(session.id);
    return fresh;
  }

  /** Memory use of all sessions, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Removes a session from the cache. */
  forget(sessionId: string): void {
    this.#bytes -= this.#sessions.get(sessionId)?.countedBytes ?? 0;
    this.#sessions.delete(sessionId);
  }

  #recount(seen: SeenSession): void {
    this.#bytes += seen.table.bytes - seen.countedBytes;
    seen.countedBytes = seen.table.bytes;
  }

  /** Loads the ids of all batches of a session, and makes it the most recent one in the cache. */
  async #loadSession(db: Db, { game_id, id, next_batch }: LockedSession): Promise<SeenSession> {
    const cached = this.#sessions.get(id);
    // If the cache is ahead of the database, a batch was rolled back.
    const isAhead = cached !== undefined && cached.nextBatch > next_batch;
    const seen =
      cached && !isAhead ? cached : { countedBytes: 0, nextBatch: 0, table: new IdTable(this.#hash) };
    this.forget(id);
    if (seen.nextBatch < next_batch) {
      const batches = await readBatchesFrom(db, game_id, id, seen.nextBatch);
      for (const [index, batch] of batches.entries()) {
        for (const eventId of decodeKnownIds(batch)) seen.table.add(eventId, seen.nextBatch + index);
      }
      seen.nextBatch = next_batch;
    }
    this.forget(id);
    this.#sessions.set(id, seen);
    seen.countedBytes = 0;
    this.#recount(seen);
    return seen;
  }

  /** Removes the least recently used sessions, except the current one, until the memory limit is met. */
  #trim(currentSessionId: string): void {
    for (const sessionId of this.#sessions.keys()) {
      if (this.#bytes <= this.#maxBytes || sessionId === currentSessionId) return;
      this.forget(sessionId);
    }
  }
}

/**
 * The ids of a stored batch; none if the batch is damaged. Its events are lost, so that new ones are accepted as if they
 * had never arrived. The analysis of the session reports the damage.
 */
function decodeKnownIds(batch: StoredBatch): readonly string[] {
  try {
    return decodeIds(batch);
  } catch (error) {
    if (error instanceof DamagedData) return [];
    throw error;
  }
}

/**
 * Creates a function that checks whether an id is really in one of the given batches. Stored batches are read once; the
 * batch number `next_batch` is being built from `fresh`.
 */
function createStoredCheck(db: Db, { game_id, id: sessionId, next_batch }: LockedSession) {
  const storedIds = new Map<number, ReadonlySet<string>>();
  const freshIds = new Set<string>();
  const blocks = new BlockReader(db, game_id);
  const loadIds = async (batch: number, fresh: readonly TelemetryEvent[]) => {
    if (batch === next_batch) {
      for (const { id } of fresh.slice(freshIds.size)) freshIds.add(id);
      return freshIds;
    }
    const cached = storedIds.get(batch);
    if (cached) return cached;
    const stored = await readBatch(db, game_id, sessionId, batch, blocks);
    const ids = new Set(stored ? decodeKnownIds(stored) : []);
    storedIds.set(batch, ids);
    return ids;
  };
  return async (id: string, batches: readonly number[], fresh: readonly TelemetryEvent[]) => {
    for (const batch of batches) if ((await loadIds(batch, fresh)).has(id)) return true;
    return false;
  };
}

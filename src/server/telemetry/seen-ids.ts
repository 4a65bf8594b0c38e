/** A cache of the event ids that sessions have stored, for deduplication. Missing entries are read from the database. */
import type { Db } from "../db/schema.ts";
import { readBatchesFrom } from "./batch-queries.ts";
import type { TelemetryEvent } from "./event-names.ts";
import { type HashFunction, hashId, IdTable } from "./id-table.ts";
import { decodeKnownIds, type LockedSession, StoredEvents } from "./stored-events.ts";

interface SeenSession {
  /** The bytes of the table that the total includes. */
  countedBytes: number;
  /** The ids of all batches before this number are in the table. */
  nextBatch: number;
  readonly table: IdTable;
}

/** The events of a request, compared with those that the session has stored. */
interface FilteredEvents {
  /** The events whose ids the session has not stored, each id once. */
  readonly fresh: TelemetryEvent[];
  /** The events whose ids belong to events with other content. */
  readonly conflicts: ReadonlySet<TelemetryEvent>;
}

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
   * Finds the new events of a request, and records them as the session's next batch. If that batch is not stored after all,
   * call `forget`.
   */
  async filterNew(
    db: Db,
    session: LockedSession,
    events: readonly TelemetryEvent[],
  ): Promise<FilteredEvents> {
    const seen = await this.#loadSession(db, session);
    const fresh: TelemetryEvent[] = [];
    const conflicts = new Set<TelemetryEvent>();
    const stored = new StoredEvents(db, session, { sent: events, fresh });
    for (const event of events) {
      const batches = seen.table.addNew(event.id, session.next_batch);
      if (batches.length > 0) {
        // Equal hashes almost always mean equal ids, but collisions are possible.
        const match = await stored.compare(event, batches);
        if (match === "conflict") conflicts.add(event);
        if (match !== "new") continue;
        seen.table.add(event.id, session.next_batch);
      }
      fresh.push(event);
    }
    if (fresh.length > 0) seen.nextBatch = session.next_batch + 1;
    if (this.#sessions.get(session.id) === seen) this.#recount(seen);
    this.#trim(session.id);
    return { fresh, conflicts };
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

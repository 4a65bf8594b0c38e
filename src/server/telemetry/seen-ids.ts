/** Remembers which event ids a session has stored, so that each is stored once; what it forgets, the database tells again. */
import type { Db, SessionRow } from "../db/schema.ts";
import { decodeIds } from "./batch-codec.ts";
import { readPayload, readPayloadsFrom } from "./batch-queries.ts";
import type { TelemetryEvent } from "./events.ts";
import { type HashFunction, hashId, IdTable } from "./id-table.ts";

interface SeenSession {
  /** Every batch before this one is known. */
  nextBatch: number;
  readonly table: IdTable;
}

/** The session that events are added to, its row locked. */
type LockedSession = Pick<SessionRow, "game_id" | "id" | "next_batch">;

/** How much memory is taken over all sessions: some three million ids. */
const MAX_BYTES = 64 * 2 ** 20;

/** The ids of the sessions last written to. Several servers may write to one session: each reads what the others stored. */
export class SeenIds {
  readonly #hash: HashFunction;
  readonly #sessions = new Map<string, SeenSession>();
  #bytes = 0;

  constructor(hash: HashFunction = hashId) {
    this.#hash = hash;
  }

  /**
   * Those of the events whose ids the session has not stored, each id once; from now on they are known as its next
   * batch. Where that is not stored after all, the session must be forgotten.
   */
  async filterNew(
    db: Db,
    session: LockedSession,
    events: readonly TelemetryEvent[],
  ): Promise<TelemetryEvent[]> {
    const seen = await this.#upToDate(db, session);
    const before = seen.table.bytes;
    const isIn = createStoredCheck(db, session);
    const fresh: TelemetryEvent[] = [];
    for (const event of events) {
      const batches = seen.table.addNew(event.id, session.next_batch);
      if (batches.length > 0) {
        // Of one hash, but hardly ever of another id.
        if (await isIn(event.id, batches, fresh)) continue;
        seen.table.add(event.id, session.next_batch);
      }
      fresh.push(event);
    }
    if (fresh.length > 0) seen.nextBatch = session.next_batch + 1;
    if (this.#sessions.get(session.id) === seen) this.#bytes += seen.table.bytes - before;
    this.#trim(session.id);
    return fresh;
  }

  /** What it takes of memory. */
  get bytes(): number {
    return this.#bytes;
  }

  forget(sessionId: string): void {
    this.#bytes -= this.#sessions.get(sessionId)?.table.bytes ?? 0;
    this.#sessions.delete(sessionId);
  }

  /** What is known of a session once every batch of it is; it is then the one last written to. */
  async #upToDate(db: Db, { game_id, id, next_batch }: LockedSession): Promise<SeenSession> {
    const known = this.#sessions.get(id);
    // Ahead of the database: what it knows was taken back.
    const isAhead = known !== undefined && known.nextBatch > next_batch;
    const seen = known && !isAhead ? known : { nextBatch: 0, table: new IdTable(this.#hash) };
    this.forget(id);
    if (seen.nextBatch < next_batch) {
      const payloads = await readPayloadsFrom(db, game_id, id, seen.nextBatch);
      for (const [at, payload] of payloads.entries()) {
        for (const stored of decodeIds(payload)) seen.table.add(stored, seen.nextBatch + at);
      }
      seen.nextBatch = next_batch;
    }
    this.forget(id);
    this.#sessions.set(id, seen);
    this.#bytes += seen.table.bytes;
    return seen;
  }

  #trim(kept: string): void {
    for (const sessionId of this.#sessions.keys()) {
      if (this.#bytes <= MAX_BYTES || sessionId === kept) return;
      this.forget(sessionId);
    }
  }
}

/** Whether an id is truly in one of some batches: stored ones, each read once, and the one that is being made of `fresh`. */
function createStoredCheck(db: Db, { game_id, id: sessionId, next_batch }: LockedSession) {
  const read = new Map<number, ReadonlySet<string>>();
  const own = new Set<string>();
  const idsOf = async (batch: number, fresh: readonly TelemetryEvent[]) => {
    if (batch === next_batch) {
      for (const { id } of fresh.slice(own.size)) own.add(id);
      return own;
    }
    const known = read.get(batch);
    if (known) return known;
    const payload = await readPayload(db, game_id, sessionId, batch);
    const ids = new Set(payload ? decodeIds(payload) : []);
    read.set(batch, ids);
    return ids;
  };
  return async (id: string, batches: readonly number[], fresh: readonly TelemetryEvent[]) => {
    for (const batch of batches) if ((await idsOf(batch, fresh)).has(id)) return true;
    return false;
  };
}

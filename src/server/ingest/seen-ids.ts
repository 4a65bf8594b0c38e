/** Remembers which event ids a session has stored, so that each is stored once; what it forgets, the database tells again. */
import type { Db } from "../db/schema.ts";
import { payloadsFrom } from "../queries/event-batches.ts";
import { decodeIds } from "./batch-codec.ts";

interface Seen {
  /** Every batch before this one is known. */
  nextBatch: number;
  readonly ids: Set<string>;
}

/** How many ids are kept in memory over all sessions. */
const MAX_IDS = 1_000_000;

/** The ids of the sessions last written to. Several servers may write to one session: each reads what the others stored. */
export class SeenIds {
  readonly #sessions = new Map<string, Seen>();
  #held = 0;

  /** The stored ids of a session whose row is locked and stands at `nextBatch`. */
  async of(db: Db, gameId: string, sessionId: string, nextBatch: number): Promise<Set<string>> {
    const seen = this.#sessions.get(sessionId) ?? { nextBatch: 0, ids: new Set<string>() };
    if (seen.nextBatch > nextBatch) {
      this.forget(sessionId);
      return await this.of(db, gameId, sessionId, nextBatch);
    }
    const before = this.#sessions.has(sessionId) ? seen.ids.size : 0;
    if (seen.nextBatch < nextBatch) await readNewer(db, gameId, sessionId, seen, nextBatch);
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, seen);
    this.#held += seen.ids.size - before;
    this.#trim(sessionId);
    return seen.ids;
  }

  /** Adds the ids of a batch once it is committed. */
  add(sessionId: string, batch: number, ids: Iterable<string>): void {
    const seen = this.#sessions.get(sessionId);
    if (!seen || seen.nextBatch !== batch) return;
    const before = seen.ids.size;
    for (const id of ids) seen.ids.add(id);
    seen.nextBatch = batch + 1;
    this.#held += seen.ids.size - before;
  }

  forget(sessionId: string): void {
    this.#held -= this.#sessions.get(sessionId)?.ids.size ?? 0;
    this.#sessions.delete(sessionId);
  }

  #trim(kept: string): void {
    for (const sessionId of this.#sessions.keys()) {
      if (this.#held <= MAX_IDS || sessionId === kept) return;
      this.forget(sessionId);
    }
  }
}

async function readNewer(
  db: Db,
  gameId: string,
  sessionId: string,
  seen: Seen,
  nextBatch: number,
): Promise<void> {
  const payloads = await payloadsFrom(db, gameId, sessionId, seen.nextBatch);
  for (const payload of payloads) for (const id of decodeIds(payload)) seen.ids.add(id);
  seen.nextBatch = nextBatch;
}

/** Checks that every imported event can be decoded, together with its positions. */
import { DamagedData } from "../core/damaged-data.ts";
import { ServiceError } from "../core/errors.ts";
import type { Db } from "../db/schema.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { decodeEvents } from "../telemetry/batch-queries.ts";
import { type ArchiveRow, readRows } from "./archive-queries.ts";

const sessionColumns = ["game_id", "id", "next_batch", "events_pruned_at"] as const;
const batchColumns = ["game_id", "session_id", "seq", "event_count", "payload"] as const;

/**
 * Decodes all events. Throws `unusable` with the table, the session and the batch of the first damaged batch. Sessions and
 * batches have the same order, so they are read side by side: a query for each session would take several times as long.
 */
export async function checkEvents(db: Db, source: string, signal: AbortSignal): Promise<void> {
  const batches = new RowStream(readRows(db, "event_batches", batchColumns));
  for await (const sessions of readRows(db, "sessions", sessionColumns)) {
    for (const session of sessions) {
      signal.throwIfAborted();
      await checkSession(db, source, session, batches);
    }
  }
  if (await batches.peek()) throw orphan(source);
}

/** The rows of pages, one after another. */
class RowStream {
  readonly #pages: AsyncGenerator<ArchiveRow[]>;
  #page: readonly ArchiveRow[] = [];
  #next = 0;

  constructor(pages: AsyncGenerator<ArchiveRow[]>) {
    this.#pages = pages;
  }

  /** The next row, which is read again until `skip`; undefined at the end. */
  async peek(): Promise<ArchiveRow | undefined> {
    if (this.#next >= this.#page.length) {
      const { done, value } = await this.#pages.next();
      [this.#page, this.#next] = [done ? [] : value, 0];
    }
    return this.#page[this.#next];
  }

  skip(): void {
    this.#next += 1;
  }
}

/** Decodes the events of a session, whose batches are next. */
async function checkSession(
  db: Db,
  source: string,
  [game, id, expected, prunedAt]: ArchiveRow,
  batches: RowStream,
): Promise<void> {
  const [gameId, sessionId] = [String(game), String(id)];
  const positions = new SessionPositions(db, gameId, sessionId);
  let found = 0;
  const describe = (reason: string) =>
    `table event_batches, session ${JSON.stringify(sessionId)} of game ${JSON.stringify(gameId)}, batch ${found}: ${reason}`;
  for (let row = await batches.peek(); row; row = await batches.peek()) {
    const order = compareBytes(row[0], gameId) || compareBytes(row[1], sessionId);
    if (order < 0) throw orphan(source);
    if (order > 0) break;
    if (prunedAt === null) {
      if (row[2] !== found) break;
      const batch = { event_count: Number(row[3]), payload: row[4] as Uint8Array };
      await decodeEvents(batch, found, positions).catch((cause: unknown) => {
        throw cause instanceof DamagedData ? undecodable(source, describe(cause.message), cause) : cause;
      });
    }
    found += 1;
    batches.skip();
  }
  if (prunedAt === null && found !== expected)
    throw undecodable(source, describe(`the session has ${expected} batches`));
}

/** Compares texts by their bytes, like both database engines. */
const compareBytes = (a: unknown, b: string) => Buffer.compare(Buffer.from(String(a)), Buffer.from(b));

const orphan = (source: string) =>
  undecodable(source, "table event_batches has rows that belong to no session");

function undecodable(source: string, details: string, cause?: unknown): ServiceError {
  return new ServiceError("unusable", {
    message: `${source} contains data that cannot be decoded: ${details}`,
    hint: "Nothing was imported. Delete these rows from the original database, and export it again.",
    cause,
  });
}

/** Streams the stored events of many sessions, for statistics over whole builds. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { SOURCES } from "../../shared/session-sources.ts";
import { DamagedData } from "../core/stored-data.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import type { PositionFilter } from "../positions/position-queries.ts";
import { selectSessions } from "../sessions/scope-queries.ts";
import { decodeWithoutCoordinates } from "./batch-codec.ts";
import { BlockReader } from "./batch-queries.ts";
import type { TelemetryEvent } from "./event-names.ts";

/** Number of sessions per statement, and of batches that are in memory at a time. */
const SESSIONS_PER_QUERY = 200;
const BATCHES_PER_QUERY = 32;

type EventSession = Pick<SessionRow, "id" | "next_batch">;

/** The events of one session in the order of their times, without coordinates; null if they are damaged. */
interface SessionEvents<S extends EventSession> {
  readonly session: S;
  readonly events: readonly TelemetryEvent[] | null;
}

/**
 * Yields the events of each session, in the order of the session ids. Sessions without stored events are skipped. Other
 * requests are served in between.
 */
export async function* streamSessionEvents<S extends EventSession>(
  db: Db,
  gameId: string,
  sessions: readonly S[],
): AsyncGenerator<SessionEvents<S>> {
  const sorted = [...sessions].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (let start = 0; start < sorted.length; start += SESSIONS_PER_QUERY)
    yield* streamPart(
      db,
      gameId,
      new Map(sorted.slice(start, start + SESSIONS_PER_QUERY).map((s) => [s.id, s])),
    );
}

async function* streamPart<S extends EventSession>(
  db: Db,
  gameId: string,
  sessions: ReadonlyMap<string, S>,
): AsyncGenerator<SessionEvents<S>> {
  const blocks = new BlockReader(db, gameId);
  let current: BatchReader<S> | null = null;
  let after: BatchPosition | null = null;
  for (;;) {
    const from = after?.session_id ?? "";
    const ids = [...sessions.keys()].filter((id) => id >= from);
    const rows: BatchRow[] = await blocks.unpack(await readBatchRows(db, gameId, ids, after));
    for (const row of rows) {
      const session = sessions.get(row.session_id);
      if (session === undefined) continue;
      if (current?.session.id !== session.id) {
        if (current) yield current.finish();
        current = new BatchReader(session);
      }
      current.add(row);
    }
    after = rows.at(-1) ?? null;
    if (after === null || rows.length < BATCHES_PER_QUERY) break;
    await nextTurn();
  }
  if (current) yield current.finish();
}

/** Collects the events of one session. */
class BatchReader<S extends EventSession> {
  readonly session: S;
  readonly #events: TelemetryEvent[] = [];
  #batches = 0;
  #isDamaged = false;

  constructor(session: S) {
    this.session = session;
  }

  add(row: BatchRow): void {
    this.#batches += 1;
    try {
      for (const event of decodeWithoutCoordinates(row)) this.#events.push(event);
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
      this.#isDamaged = true;
    }
  }

  finish(): SessionEvents<S> {
    const { session } = this;
    const isDamaged = this.#isDamaged || this.#batches < session.next_batch;
    return { session, events: isDamaged ? null : this.#events.sort((a, b) => a.timestamp - b.timestamp) };
  }
}

type BatchPosition = Pick<BatchRow, "session_id" | "seq">;
type BatchRow = Awaited<ReturnType<typeof readBatchRows>>[number];

async function readBatchRows(
  db: Db,
  gameId: string,
  sessionIds: readonly string[],
  after: { readonly session_id: string; readonly seq: number } | null,
) {
  return await db
    .selectFrom("event_batches")
    .select(["session_id", "seq", "payload", "event_count"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .$if(after !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb("session_id", ">", after?.session_id ?? ""),
          eb.and([eb("session_id", "=", after?.session_id ?? ""), eb("seq", ">", after?.seq ?? 0)]),
        ]),
      ),
    )
    .orderBy("session_id")
    .orderBy("seq")
    .limit(BATCHES_PER_QUERY)
    .execute();
}

/** The times at which these bug reports of a session arrived, unix ms. Ids of anything else are ignored. */
export async function findReportTimes(
  db: Db,
  gameId: string,
  sessionId: string,
  ids: readonly string[],
): Promise<number[]> {
  const rows = await db
    .selectFrom("bug_reports")
    .select("created_at")
    .where((eb) => eb.and({ game_id: gameId, session_id: sessionId }))
    .where("id", "in", ids)
    .execute();
  return rows.map(({ created_at }) => created_at);
}

/** A session that has ended, with the number of its batches. */
export interface EndedSession {
  readonly id: string;
  readonly batches: number;
}

/** The newest ended sessions that match, at most `limit`. A session is pending while more events may arrive. */
export async function findEndedSessions(
  db: Db,
  { gameId, source, build, env }: Omit<PositionFilter, "event">,
  limit: number,
): Promise<EndedSession[]> {
  const rows = await selectSessions(db, { gameId, build, environment: env })
    .select(["id", "next_batch"])
    .where("next_batch", ">", 0)
    .where("events_pruned_at", "is", null)
    .where((eb) => eb.or([eb("ended", "=", 1), eb("status", "!=", "pending")]))
    .$if(source !== undefined, (query) => query.where("source", "=", source ?? SOURCES.unity))
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ id: row.id, batches: Number(row.next_batch) }));
}

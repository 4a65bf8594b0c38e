/** Takes a telemetry body: every good event is stored once, in one transaction, before it is acknowledged. */
import { fail } from "../../contract/errors.ts";
import type { TelemetryEnvelope, TelemetryReceipt } from "../../contract/telemetry.ts";
import type { Db, GameRow } from "../db/schema.ts";
import { addEvents } from "../queries/rollups.ts";
import type { Service } from "../service.ts";
import { encodeBatch, type RoomPoints } from "./batch-codec.ts";
import { faultOf, type TelemetryEvent } from "./events.ts";
import { findOrCreate, type OpenSession } from "./find-session.ts";
import { advance } from "./session-state.ts";

/** Whose telemetry it is: the account of the key, and the game it is bound to. */
export interface IngestScope {
  readonly accountId: string;
  readonly boundGameId: string | null;
}

interface Checked {
  readonly good: TelemetryEvent[];
  readonly rejected: TelemetryReceipt["rejected"];
}

/**
 * Stores the events of one body. Throws `not_found` for a game or session that is not the account's, `bad_request`
 * without a game. A bad event is reported by its index, and its siblings are kept.
 */
export async function ingest(
  service: Service,
  scope: IngestScope,
  envelope: TelemetryEnvelope,
): Promise<TelemetryReceipt> {
  const { good, rejected } = check(envelope.events);
  const done = await service.store.write.transaction().execute(async (db) => {
    const game = await findGame(db, scope, envelope.gameId);
    const session = await findOrCreate(db, service, game, envelope);
    const seen = await service.seenIds.of(db, game.id, session.id, session.next_batch);
    const fresh = unseen(good, seen);
    if (fresh.length > 0) await storeEvents(db, session, fresh);
    const due = await advance(db, session, envelope, fresh, service.now());
    return { session, fresh, due };
  });
  const { session, fresh } = done;
  if (fresh.length > 0) service.seenIds.add(session.id, session.next_batch, idsOf(fresh));
  if (done.due) service.wakeAnalysis();
  return {
    sessionId: session.id,
    accepted: fresh.length,
    duplicates: good.length - fresh.length,
    rejected,
  };
}

function check(events: readonly unknown[]): Checked {
  const good: TelemetryEvent[] = [];
  const rejected: TelemetryReceipt["rejected"] = [];
  for (const [index, event] of events.entries()) {
    const error = faultOf(event);
    if (error === null) good.push(event as TelemetryEvent);
    else rejected.push({ index, error });
  }
  return { good, rejected };
}

function unseen(events: readonly TelemetryEvent[], seen: ReadonlySet<string>): TelemetryEvent[] {
  const own = new Set<string>();
  return events.filter(({ id }) => {
    if (seen.has(id) || own.has(id)) return false;
    own.add(id);
    return true;
  });
}

function* idsOf(events: readonly TelemetryEvent[]): Generator<string> {
  for (const { id } of events) yield id;
}

async function findGame(db: Db, scope: IngestScope, given: string | undefined): Promise<GameRow> {
  const wanted = given ?? scope.boundGameId;
  if (wanted === null) {
    const issue = { path: ["gameId"], code: "invalid_type", message: "is required: this key is bound to no game" };
    throw fail("bad_request", { message: `gameId: ${issue.message}`, issues: [issue] });
  }
  const game = await db
    .selectFrom("games")
    .selectAll()
    .where("account_id", "=", scope.accountId)
    .where((eb) => eb.or([eb("id", "=", wanted), eb("slug", "=", wanted)]))
    .executeTakeFirst();
  if (!game || (scope.boundGameId !== null && game.id !== scope.boundGameId)) throw fail("not_found");
  return game;
}

async function storeEvents(db: Db, session: OpenSession, events: readonly TelemetryEvent[]): Promise<void> {
  const { payload, rooms } = encodeBatch(events);
  const key = { game_id: session.game_id, session_id: session.id, seq: session.next_batch };
  await db
    .insertInto("event_batches")
    .values({ ...key, event_count: events.length, payload })
    .execute();
  await storeRooms(db, session, rooms);
  await addEvents(db, session, countByName(events));
}

/** How many chunks one statement inserts: thirteen parameters each. */
const CHUNKS_A_STATEMENT = 500;

async function storeRooms(db: Db, session: OpenSession, rooms: readonly RoomPoints[]): Promise<void> {
  const { game_id, build, environment } = session;
  const common = { game_id, session_id: session.id, seq: session.next_batch, build, environment };
  const mapped = session.source === "unity-telemetry" ? 1 : 0;
  const rows = rooms.map((room) => ({
    ...common,
    mapped,
    room: room.room,
    points: room.points,
    x_min: room.xMin,
    x_max: room.xMax,
    y_min: room.yMin,
    y_max: room.yMax,
    xy: room.xy,
  }));
  for (let at = 0; at < rows.length; at += CHUNKS_A_STATEMENT) {
    await db
      .insertInto("position_chunks")
      .values(rows.slice(at, at + CHUNKS_A_STATEMENT))
      .execute();
  }
}

/** How often each event name occurs. */
export function countByName(events: readonly TelemetryEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of events) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Takes a telemetry body: every good event is stored once, in a transaction that is committed before it is acknowledged. */
import { HttpError } from "../../contract/errors.ts";
import {
  describeEarlyTime,
  type TelemetryEnvelope,
  type TelemetryReceipt,
} from "../../contract/telemetry.ts";
import { badRequest } from "../core/bad-request.ts";
import type { Db, GameRow } from "../db/schema.ts";
import { requireGame } from "../games/queries.ts";
import { insertChunks } from "../positions/chunk-queries.ts";
import { encodeBatch } from "./batch-codec.ts";
import { insertBatch } from "./batch-queries.ts";
import { addToEventCounters } from "./event-count-queries.ts";
import { findEventFault, type TelemetryEvent } from "./events.ts";
import { findOrCreateSession, type OpenSession } from "./find-session.ts";
import type { TelemetryService } from "./service.ts";
import { updateSessionState } from "./session-state.ts";

/** Whose telemetry it is: the account of the key, and the game it is bound to. */
export interface IngestScope {
  readonly accountId: string;
  readonly boundGameId: string | null;
}

interface CheckedEvents {
  readonly good: TelemetryEvent[];
  readonly rejected: TelemetryReceipt["rejected"];
}

/**
 * Stores the events of one body. Throws `not_found` for a game or session that is not the account's, `bad_request`
 * without a game. A bad event is reported by its index, and its siblings are kept.
 */
export async function ingest(
  service: TelemetryService,
  scope: IngestScope,
  envelope: TelemetryEnvelope,
): Promise<TelemetryReceipt> {
  const { good, rejected } = checkEvents(envelope.events);
  let touched: string | null = null;
  const store = async (db: Db) => {
    const game = await resolveGame(db, scope, envelope.gameId);
    const session = await findOrCreateSession(db, service, game, envelope, good);
    touched = session.id;
    const fresh = await service.seenIds.filterNew(db, session, good);
    const counts = await service.eventNames.count(db, game.id, fresh);
    if (fresh.length > 0) await storeEvents(db, session, fresh, counts);
    const due = await updateSessionState(db, session, envelope, { fresh, counts }, service.now());
    return { sessionId: session.id, accepted: fresh.length, due };
  };
  const undo = () => {
    if (touched !== null) service.seenIds.forget(touched);
  };
  return await service.observer.ingest(async () => {
    const { sessionId, accepted, due } = await service.commits.run(store, undo);
    if (due) service.wakeAnalysis();
    const receipt = { sessionId, accepted, duplicates: good.length - accepted, rejected };
    const warnings = collectWarnings(envelope);
    return warnings.length === 0 ? receipt : { ...receipt, warnings };
  });
}

function checkEvents(events: readonly unknown[]): CheckedEvents {
  const good: TelemetryEvent[] = [];
  const rejected: TelemetryReceipt["rejected"] = [];
  for (const [index, event] of events.entries()) {
    const error = findEventFault(event);
    if (error === null) good.push(event as TelemetryEvent);
    else rejected.push({ index, error });
  }
  return { good, rejected };
}

/** What of the envelope was ignored: a client that sends it should hear of it, and its batch is kept. */
function collectWarnings({ startedAt }: TelemetryEnvelope): string[] {
  const fault = startedAt === undefined ? null : describeEarlyTime(startedAt);
  return fault === null ? [] : [`startedAt ${fault}. The time of receipt is used.`];
}

async function resolveGame(db: Db, scope: IngestScope, given: string | undefined): Promise<GameRow> {
  const wanted = given ?? scope.boundGameId;
  if (wanted === null) {
    const message = "is required: this key is bound to no game";
    throw badRequest([{ path: ["gameId"], code: "invalid_type", message }]);
  }
  const game = await requireGame(db, scope.accountId, wanted);
  if (scope.boundGameId !== null && game.id !== scope.boundGameId) throw new HttpError("not_found");
  return game;
}

async function storeEvents(
  db: Db,
  session: OpenSession,
  events: readonly TelemetryEvent[],
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const { payload, rooms } = encodeBatch(events);
  await insertBatch(db, session, events.length, payload);
  await insertChunks(db, session, rooms);
  await addToEventCounters(db, session, counts);
}

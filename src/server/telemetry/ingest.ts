/** Ingests a telemetry request: stores every valid event once, and acknowledges it after the transaction is committed. */
import { HttpError } from "../../contract/errors.ts";
import { findEventFault } from "../../contract/event-faults.ts";
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
import type { TelemetryEvent } from "./events.ts";
import { findOrCreateSession, type OpenSession } from "./find-session.ts";
import type { TelemetryService } from "./service.ts";
import { updateSessionState } from "./session-state.ts";

/** The account of the key, and the game to which the key is limited, if any. */
export interface IngestScope {
  readonly accountId: string;
  readonly boundGameId: string | null;
}

interface CheckedEvents {
  readonly valid: TelemetryEvent[];
  readonly rejected: TelemetryReceipt["rejected"];
}

/**
 * Stores the events of one request. Invalid events are reported by index; the others are stored. Throws `not_found` if the
 * game or session does not belong to the account, and `bad_request` if no game is specified.
 */
export async function ingest(
  service: TelemetryService,
  scope: IngestScope,
  envelope: TelemetryEnvelope,
): Promise<TelemetryReceipt> {
  const { valid, rejected } = checkEvents(envelope.events);
  let touchedSessionId: string | null = null;
  const store = async (db: Db) => {
    const game = await resolveGame(db, scope, envelope.gameId);
    const session = await findOrCreateSession(db, service, game, envelope, valid);
    touchedSessionId = session.id;
    const fresh = await service.seenIds.filterNew(db, session, valid);
    const counts = await service.eventNames.count(db, game.id, fresh);
    if (fresh.length > 0) await storeEvents(db, session, fresh, counts);
    const due = await updateSessionState(db, session, envelope, { fresh, counts }, service.now());
    return { sessionId: session.id, accepted: fresh.length, due };
  };
  const undo = () => {
    if (touchedSessionId !== null) service.seenIds.forget(touchedSessionId);
  };
  return await service.observer.ingest(async () => {
    const { sessionId, accepted, due } = await service.commits.run(store, undo);
    if (due) service.wakeAnalysis();
    const receipt = { sessionId, accepted, duplicates: valid.length - accepted, rejected };
    const warnings = collectWarnings(envelope);
    return warnings.length === 0 ? receipt : { ...receipt, warnings };
  });
}

function checkEvents(events: readonly unknown[]): CheckedEvents {
  const valid: TelemetryEvent[] = [];
  const rejected: TelemetryReceipt["rejected"] = [];
  for (const [index, event] of events.entries()) {
    const error = findEventFault(event);
    if (error === null) valid.push(event as TelemetryEvent);
    else rejected.push({ index, error });
  }
  return { valid, rejected };
}

/** Warnings about fields of the envelope that were ignored. The batch is stored. */
function collectWarnings({ startedAt }: TelemetryEnvelope): string[] {
  const fault = startedAt === undefined ? null : describeEarlyTime(startedAt);
  return fault === null ? [] : [`startedAt ${fault}. The time of receipt was used instead.`];
}

async function resolveGame(db: Db, scope: IngestScope, requested: string | undefined): Promise<GameRow> {
  const gameRef = requested ?? scope.boundGameId;
  if (gameRef === null) {
    const message = "is required, because this key is not limited to one game";
    throw badRequest([{ path: ["gameId"], code: "invalid_type", message }]);
  }
  const game = await requireGame(db, scope.accountId, gameRef);
  if (scope.boundGameId !== null && game.id !== scope.boundGameId) throw new HttpError("not_found");
  return game;
}

async function storeEvents(
  db: Db,
  session: OpenSession,
  events: readonly TelemetryEvent[],
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const { payload, positions } = encodeBatch(events);
  await insertBatch(db, session, events.length, payload);
  await insertChunks(db, session, positions);
  await addToEventCounters(db, session, counts);
}

/** Ingests a telemetry request: stores every valid event once, and acknowledges it after the transaction is committed. */
import { findEventFault, ID_CONFLICT, SHARED_SESSION_ID } from "../../contract/event-faults.ts";
import { type Plane, planes } from "../../contract/heatmap-planes.ts";
import { MAX_ROOM_NAME } from "../../contract/heatmaps.ts";
import { classifyEvent } from "../../contract/refusals.ts";
import {
  describeEarlyTime,
  sendTelemetry,
  type TelemetryEnvelope,
  type TelemetryReceipt,
} from "../../contract/telemetry.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { addToEventCounters } from "../db/counters.ts";
import { runTasks } from "../db/pipeline.ts";
import { isQuarantined, toOriginal } from "../db/quarantined-ids.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { type IngestScope, requireIngestEnvironment, requireIngestGame } from "../games/key-game.ts";
import { insertChunks } from "../positions/chunk-queries.ts";
import { putSentPlanes } from "../positions/room-settings-queries.ts";
import type { ArrivalLog, Refusal } from "./arrival-log.ts";
import { type EncodedBatch, encodeBatch } from "./batch-codec.ts";
import { compressPayload } from "./batch-compression.ts";
import { insertBatch } from "./batch-queries.ts";
import { type EventNames, readTracePositions, type TelemetryEvent } from "./event-names.ts";
import { EventSelection } from "./event-selection.ts";
import { findOrCreateSession, hasSharedId, type OpenSession } from "./find-session.ts";
import { type IngestBudgets, type IngestSender, startBudgets } from "./ingest-budgets.ts";
import type { SeenIds } from "./seen-ids.ts";
import { measureBatch, type SessionLimits } from "./session-limits.ts";
import { type NewEvents, updateSessionState } from "./session-state.ts";

interface CheckedEvents {
  readonly valid: TelemetryEvent[];
  readonly rejected: TelemetryReceipt["rejected"];
}

/**
 * Stores the events of one request. Invalid events are reported by index; the others are stored. Throws `not_found` if the
 * game or session does not belong to the account, `bad_request` if no game is specified, and `rate_limited` beyond a budget of the
 * sender. `repairs` are warnings about what was removed from the body. A session whose events were pruned rejects further ones:
 * without the ids of its events, a repeated event would be counted twice. A session that is full rejects what exceeds its
 * limits. A request whose events are all refused creates no session.
 */
export async function ingest(
  service: TelemetryService,
  scope: IngestScope,
  envelope: TelemetryEnvelope,
  repairs: readonly string[] = [],
  sender: IngestSender | null = null,
): Promise<TelemetryReceipt> {
  const { valid, rejected: invalid } = checkEvents(envelope.events);
  let touchedSessionId: string | null = null;
  let budgets: IngestBudgets | null = null;
  const store = async (db: Db) => {
    const game = await requireIngestGame(db, scope, envelope.gameId);
    budgets = startBudgets(db, service, game, sender, valid);
    const sent = envelope.events.length;
    const selection = new EventSelection(db, service, { game, valid, sent, budgets });
    const session = await findOrCreateSession(db, service, game, envelope, valid, selection);
    if (session === null) {
      budgets?.settle(null, 0);
      const { deviceId = null } = envelope;
      const stored = { gameId: game.id, sessionId: null, events: 0 };
      return { stored, deviceId, refused: selection.refused, due: false, isShared: false };
    }
    touchedSessionId = session.id;
    // The session of a later request may be in another environment than the request says.
    requireIngestEnvironment(scope, session.environment);
    const { accepted, refused } = await selection.select(session);
    const { fresh, conflicts } =
      accepted.length > 0
        ? await service.seenIds.filterNew(db, session, accepted)
        : { fresh: [], conflicts: [] };
    budgets?.settle(session, fresh.length);
    const counts = await service.eventNames.count(db, game, fresh);
    const batch = fresh.length > 0 ? encodeBatch(fresh) : null;
    const news = { fresh, counts, bytes: batch ? measureBatch(batch) : 0 };
    let due = false;
    await runTasks(db, [
      ...(batch
        ? storeEvents(db, session, { batch, counts, planes: readSentPlanes(fresh) }, service.now())
        : []),
      async () => {
        due =
          session.events_pruned_at === null &&
          (await updateSessionState(db, session, envelope, news, service.now()));
      },
    ]);
    const { game_id: gameId, id: sessionId, next_batch: seq, device_id: deviceId } = session;
    const stored = { gameId, sessionId, seq, events: fresh.length };
    for (const event of conflicts) refused.set(event, ID_CONFLICT);
    return { stored, deviceId, refused, due, isShared: hasSharedId(envelope, session) };
  };
  const undo = () => {
    if (touchedSessionId !== null) service.seenIds.forget(touchedSessionId);
    budgets?.release();
  };
  return await service.observer.ingest(async () => {
    const { stored, deviceId, refused, due, isShared } = await service.commits.run(store, undo, "concurrent");
    if (due) service.wakeAnalysis();
    const { gameId, sessionId, events: accepted } = stored;
    const rejected = rejectMore(envelope.events, invalid, refused);
    if (sessionId !== null && accepted > 0 && !isQuarantined(gameId))
      service.arrivals.addBatch(scope.accountId, stored);
    const refusals = rejected.map((rejection) => toRefusal(rejection, envelope, { sessionId, deviceId }));
    if (isShared) refusals.unshift({ ...SHARED_ID_WARNING, sessionId, deviceId });
    service.arrivals.addRefusals(scope.accountId, toOriginal(gameId), refusals);
    const receipt = {
      sessionId,
      accepted,
      duplicates: envelope.events.length - accepted - rejected.length,
      rejected,
    };
    const warnings = [...repairs, ...collectWarnings(envelope), ...(isShared ? [SHARED_SESSION_ID] : [])];
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

/** Adds the valid events that were refused to the invalid ones, by index. `refused` has their errors. */
function rejectMore(
  events: readonly unknown[],
  invalid: TelemetryReceipt["rejected"],
  refused: ReadonlyMap<unknown, string>,
): TelemetryReceipt["rejected"] {
  if (refused.size === 0) return invalid;
  const more = events.flatMap((event, index) => {
    const error = refused.get(event);
    return error === undefined ? [] : [{ index, error }];
  });
  return [...invalid, ...more].sort((a, b) => a.index - b.index);
}

function toRefusal(
  { index, error }: TelemetryReceipt["rejected"][number],
  { events }: TelemetryEnvelope,
  session: Pick<Refusal, "sessionId" | "deviceId">,
): Refusal {
  const { name } = (events[index] ?? {}) as { readonly name?: unknown };
  return {
    reason: classifyEvent(error),
    message: error,
    status: sendTelemetry.status,
    index,
    name: typeof name === "string" && name !== "" ? name : null,
    ...session,
  };
}

const SHARED_ID_WARNING = {
  reason: "client_session_shared",
  message: SHARED_SESSION_ID,
  status: sendTelemetry.status,
  index: null,
  name: null,
} as const;

/** Warnings about fields of the envelope that were ignored. The batch is stored. */
function collectWarnings({ startedAt }: TelemetryEnvelope): string[] {
  const fault = startedAt === undefined ? null : describeEarlyTime(startedAt);
  return fault === null ? [] : [`startedAt ${fault}. The time of receipt was used instead.`];
}

interface NewBatch extends Pick<NewEvents, "counts"> {
  readonly batch: EncodedBatch;
  /** The planes that the game sent, by room. */
  readonly planes: ReadonlyMap<string, Plane>;
}

/** The planes that traces name, by room. */
function readSentPlanes(events: readonly TelemetryEvent[]): Map<string, Plane> {
  const sent = new Map<string, Plane>();
  for (const event of events) {
    const plane = event.name === EVENTS.trace ? planes.find((one) => one === event.data?.plane) : undefined;
    const room = plane === undefined ? undefined : readTracePositions(event)?.[0]?.room;
    if (plane !== undefined && room !== undefined && room.length <= MAX_ROOM_NAME) sent.set(room, plane);
  }
  return sent;
}

/** The tasks that store new events. */
function storeEvents(db: Db, session: OpenSession, { batch, counts, planes }: NewBatch, now: number) {
  return [
    () => insertBatch(db, session, { ...batch, payload: compressPayload(batch.payload) }, now),
    () => insertChunks(db, session, batch.positions),
    ...(planes.size > 0 ? [() => putSentPlanes(db, session.game_id, planes)] : []),
    () => addToEventCounters(db, session, counts),
  ];
}

export interface TelemetryService extends Service {
  readonly seenIds: SeenIds;
  readonly eventNames: EventNames;
  readonly sessionLimits: SessionLimits;
  /** What arrived, for the live tail. */
  readonly arrivals: ArrivalLog;
}

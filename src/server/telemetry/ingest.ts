/** Ingests a telemetry request: stores every valid event once, and acknowledges it after the transaction is committed. */
import { describePrunedSession, findEventFault } from "../../contract/event-faults.ts";
import { classifyEvent } from "../../contract/refusals.ts";
import {
  describeEarlyTime,
  sendTelemetry,
  type TelemetryEnvelope,
  type TelemetryReceipt,
} from "../../contract/telemetry.ts";
import { addToEventCounters } from "../db/counters.ts";
import { runTasks } from "../db/pipeline.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { type IngestScope, requireIngestEnvironment, requireIngestGame } from "../games/key-game.ts";
import { insertChunks } from "../positions/chunk-queries.ts";
import type { ArrivalLog, Refusal } from "./arrival-log.ts";
import { encodeBatch } from "./batch-codec.ts";
import { compressPayload } from "./batch-compression.ts";
import { insertBatch } from "./batch-queries.ts";
import type { EventNames, TelemetryEvent } from "./event-names.ts";
import { findOrCreateSession, type OpenSession } from "./find-session.ts";
import { type IngestBudgets, type IngestSender, startBudgets } from "./ingest-budgets.ts";
import type { SeenIds } from "./seen-ids.ts";
import { type NewEvents, updateSessionState } from "./session-state.ts";

interface CheckedEvents {
  readonly valid: TelemetryEvent[];
  readonly rejected: TelemetryReceipt["rejected"];
}

/**
 * Stores the events of one request. Invalid events are reported by index; the others are stored. Throws `not_found` if the
 * game or session does not belong to the account, `bad_request` if no game is specified, and `rate_limited` beyond a budget of the
 * sender. `repairs` are warnings about
 * what was removed from the body. A session whose events were pruned rejects further ones: without the ids of its events,
 * a repeated event would be counted twice.
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
    budgets = startBudgets(db, service, game, sender, envelope, valid);
    const session = await findOrCreateSession(db, service, game, envelope, valid, budgets);
    touchedSessionId = session.id;
    // The session of a later request may be in another environment than the request says.
    requireIngestEnvironment(scope, session.environment);
    const { events_pruned_at: prunedAt, device_id: deviceId } = session;
    const { named, unnamed } = await service.eventNames.admit(db, game, valid, budgets);
    const fresh = prunedAt === null ? await service.seenIds.filterNew(db, session, named) : [];
    budgets?.settle(session, fresh.length);
    const counts = await service.eventNames.count(db, game, fresh);
    const news = { fresh, counts };
    let due = false;
    await runTasks(db, [
      ...(fresh.length > 0 ? storeEvents(db, session, news, service.now()) : []),
      async () => {
        due = prunedAt === null && (await updateSessionState(db, session, envelope, news, service.now()));
      },
    ]);
    const stored = { gameId: game.id, sessionId: session.id, seq: session.next_batch, events: fresh.length };
    return { stored, deviceId, prunedAt, due, unnamed };
  };
  const undo = () => {
    if (touchedSessionId !== null) service.seenIds.forget(touchedSessionId);
    budgets?.release();
  };
  return await service.observer.ingest(async () => {
    const { stored, deviceId, prunedAt, due, unnamed } = await service.commits.run(store, undo, "concurrent");
    if (due) service.wakeAnalysis();
    const { gameId, sessionId, events: accepted } = stored;
    const rejected =
      prunedAt === null
        ? [...invalid, ...rejectUnnamed(envelope.events, unnamed)]
        : rejectAll(envelope.events, invalid, prunedAt);
    if (accepted > 0) service.arrivals.addBatch(scope.accountId, stored);
    const refusals = rejected.map((rejection) => toRefusal(rejection, envelope, { sessionId, deviceId }));
    service.arrivals.addRefusals(scope.accountId, gameId, refusals);
    const receipt = {
      sessionId,
      accepted,
      duplicates: envelope.events.length - accepted - rejected.length,
      rejected,
    };
    const warnings = [...repairs, ...collectWarnings(envelope)];
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

/** Rejects all events of a request to a session whose events were pruned. Invalid events keep their own errors. */
function rejectAll(
  events: readonly unknown[],
  invalid: TelemetryReceipt["rejected"],
  prunedAt: number,
): TelemetryReceipt["rejected"] {
  const errors = new Map(invalid.map(({ index, error }) => [index, error]));
  return events.map((_, index) => ({ index, error: errors.get(index) ?? describePrunedSession(prunedAt) }));
}

/** Rejects valid events whose names are new, beyond the budget of new names. */
function rejectUnnamed(
  events: readonly unknown[],
  unnamed: ReadonlySet<unknown>,
): TelemetryReceipt["rejected"] {
  const error = "name is new, and the budget of new event names per day is spent";
  if (unnamed.size === 0) return [];
  return events.flatMap((event, index) => (unnamed.has(event) ? [{ index, error }] : []));
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

/** Warnings about fields of the envelope that were ignored. The batch is stored. */
function collectWarnings({ startedAt }: TelemetryEnvelope): string[] {
  const fault = startedAt === undefined ? null : describeEarlyTime(startedAt);
  return fault === null ? [] : [`startedAt ${fault}. The time of receipt was used instead.`];
}

/** The tasks that store new events. */
function storeEvents(db: Db, session: OpenSession, { fresh, counts }: NewEvents, now: number) {
  const batch = encodeBatch(fresh);
  return [
    () => insertBatch(db, session, { ...batch, payload: compressPayload(batch.payload) }, now),
    () => insertChunks(db, session, batch.positions),
    () => addToEventCounters(db, session, counts),
  ];
}

export interface TelemetryService extends Service {
  readonly seenIds: SeenIds;
  readonly eventNames: EventNames;
  /** What arrived, for the live tail. */
  readonly arrivals: ArrivalLog;
}

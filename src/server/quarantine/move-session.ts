/** Moves a session with everything of it into the quarantine of its game, or back. */
import { needsModel } from "../analysis/analyze-session.ts";
import { findStoredReports } from "../analysis/crash-report-queries.ts";
import { requeueEarlyReports } from "../analysis/crash-reports.ts";
import { requestReanalysis } from "../analysis/queue-queries.ts";
import { updateRoomReferences } from "../analysis/room-references.ts";
import { findSessionRooms } from "../analysis/room-time-queries.ts";
import { queueSummaries } from "../analysis/summary-queue-queries.ts";
import { addToEventCounters } from "../db/counters.ts";
import { isQuarantined, toOriginal, toQuarantined } from "../db/quarantined-ids.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { removeLockedSession } from "../erasure/delete-session.ts";
import { deleteDerived, lockForDeletion } from "../erasure/deletion-queries.ts";
import { recordFeedbackChanges } from "../feedback/submission-queries.ts";
import { isLinkedElsewhere } from "../ids/tester-queries.ts";
import { recordSessionChange } from "../sessions/change-queries.ts";
import { lockGameSession } from "../sessions/session-queries.ts";
import { copyRows } from "./copy-queries.ts";

/** The quarantine that sessions are moved into; null to move them back. */
export interface Quarantine {
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
}

/**
 * Moves a session of a game in one transaction, and returns whether it was still there. `onMoved` runs in the same transaction.
 * What was counted and computed from it is subtracted or added, and insights that depend on it are analyzed again.
 */
export async function moveSession(
  service: Pick<Service, "store" | "now">,
  { gameId, id }: { readonly gameId: string; readonly id: string },
  quarantine: Quarantine | null,
  onMoved: (db: Db) => Promise<void>,
): Promise<boolean> {
  const { store, now } = service;
  return await store.write(async (db) => {
    await lockForDeletion(db, store.engine, gameId);
    const from = quarantine ? gameId : toQuarantined(gameId);
    const session = await lockGameSession(db, from, "id", id);
    if (!session) return false;
    const moved = await (quarantine
      ? enterQuarantine(session, quarantine)
      : leaveQuarantine(db, session, now()));
    await copyRows(db, session, moved);
    await removeLockedSession(db, session, now());
    await addResults(db, moved, now());
    await onMoved(db);
    return true;
  });
}

/** The row of a session in quarantine. */
const enterQuarantine = (session: SessionRow, { id, at }: Quarantine): SessionRow => ({
  ...session,
  game_id: toQuarantined(session.game_id),
  account_id: toQuarantined(session.account_id),
  quarantine_id: id,
  quarantined_at: at,
  enrichment_due: null,
});

/** The row of a released session. */
async function leaveQuarantine(db: Db, session: SessionRow, now: number): Promise<SessionRow> {
  const released = {
    ...session,
    game_id: toOriginal(session.game_id),
    account_id: toOriginal(session.account_id),
    quarantine_id: null,
    quarantined_at: null,
  };
  const { game_id, tester_handle: handle, device_id } = released;
  // The handle may have been linked in the meantime.
  const tester_handle =
    handle !== null && (await isLinkedElsewhere(db, game_id, handle, device_id ?? undefined)) ? null : handle;
  const isUnasked = released.analysis_version !== null && released.enriched_version === null;
  const enrichment_due = isUnasked && (await needsModel(db, released)) ? now : null;
  return { ...released, tester_handle, enrichment_due };
}

/** Adds what is counted and computed from a session, after its rows were added. */
async function addResults(db: Db, session: SessionRow, now: number): Promise<void> {
  const { game_id, id, event_counts } = session;
  const counts = new Map(Object.entries(JSON.parse(event_counts) as Record<string, number>));
  await addToEventCounters(db, session, counts);
  if (isQuarantined(game_id)) return;
  await deleteDerived(db, [session]);
  await updateRoomReferences(db, session, await findSessionRooms(db, session));
  const reports = await findStoredReports(db, session);
  const crashed = reports.flatMap(({ crashed_session_id }) => crashed_session_id ?? []);
  await requestReanalysis(db, game_id, [...new Set([id, ...crashed])], now);
  await requeueEarlyReports(db, session, now);
  await recordSessionChange(db, game_id, session.recorded_at, now);
  await recordFeedbackChanges(db, session, now);
  await queueSummaries(db, session, now);
}

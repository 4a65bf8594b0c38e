/** Deletes one session with everything that was stored about it or computed from it. */
import { forgetSession } from "../analysis/analyze-session.ts";
import { releaseLeases } from "../analysis/queue-queries.ts";
import { addToEventCounters, removeEmptyCounters } from "../db/counters.ts";
import { toOriginal, toQuarantined } from "../db/quarantined-ids.ts";
import type { Db, GameRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { recordFeedbackChanges } from "../feedback/submission-queries.ts";
import { removeSessionPositions } from "../positions/chunk-queries.ts";
import { deleteSessionRow, lockSession } from "../sessions/session-queries.ts";
import {
  addTombstones,
  findErasedAt,
  listHolderRefs,
  listSessionRefs,
  type TombstoneRef,
} from "../sessions/tombstone-queries.ts";
import { clearRefusals } from "../telemetry/arrival-queries.ts";
import { compactRemovedCounters } from "../telemetry/event-compaction-queries.ts";
import { deleteDerived, lockForDeletion } from "./deletion-queries.ts";
import {
  addCounts,
  countRows,
  deleteRowsOfGame,
  eraseRows,
  findSessionIds,
  type RowCounts,
} from "./row-queries.ts";

/**
 * Deletes a session in one transaction, and returns the number of erased rows by table; null if the session does not exist.
 * Late telemetry for it is refused. `onDeleted` runs in the same transaction.
 */
export async function deleteSession(
  { store, now }: Pick<Service, "store" | "now">,
  accountId: string,
  { game_id, id }: Pick<SessionRow, "game_id" | "id">,
  onDeleted: (db: Db, counts: RowCounts) => Promise<void> = async () => {},
): Promise<RowCounts | null> {
  return await store.write(async (db) => {
    await lockForDeletion(db, store.engine, game_id);
    const session = await lockSession(db, accountId, id);
    if (!session) return null;
    const counts = await deleteLockedSession(db, session, now());
    await onDeleted(db, counts);
    return counts;
  });
}

/** The same in a transaction that `lockForDeletion` has begun. */
export async function deleteLockedSession(db: Db, session: SessionRow, now: number): Promise<RowCounts> {
  const counts = await removeLockedSession(db, session, now);
  await addTombstones(db, [...listSessionRefs(session), ...listHolderRefs(session)], now);
  return counts;
}

/** Removes a session with everything that was computed from it, but does not refuse late telemetry for it. */
export async function removeLockedSession(db: Db, session: SessionRow, now: number): Promise<RowCounts> {
  const { game_id, id, account_id } = session;
  const finders = { session: [id] };
  const counts = await countRows(db, game_id, finders);
  const derived = await deleteDerived(db, [session]);
  await forgetSession(db, session, now);
  await addToEventCounters(db, session, negate(session.event_counts));
  await releaseLeases(db, game_id, await removeSessionPositions(db, game_id, id));
  await clearRefusals(db, toOriginal(account_id), { sessions: [id], devices: [] });
  await recordFeedbackChanges(db, session, now);
  await deleteSessionRow(db, session, now);
  await eraseRows(db, game_id, finders);
  await removeEmptyCounters(db, game_id);
  await compactRemovedCounters(db, game_id);
  return addCounts(counts, derived);
}

/** The counts of events by name, to be subtracted. */
function negate(eventCounts: string): Map<string, number> {
  const counts = Object.entries(JSON.parse(eventCounts) as Record<string, number>);
  return new Map(counts.map(([name, count]) => [name, -count]));
}

/**
 * Deletes a game, and returns the number of deleted rows by table. The sessions go one by one, so that servers keep running;
 * until the last one is gone, the game exists with what is left. `onDeleted` runs in the last transaction.
 */
export async function deleteGame(
  service: Pick<Service, "store" | "now">,
  game: GameRow,
  onDeleted: (db: Db) => Promise<void> = async () => {},
): Promise<RowCounts> {
  const { store } = service;
  const counts: RowCounts[] = [];
  const quarantined = { id: toQuarantined(game.id), account_id: toQuarantined(game.account_id) };
  const places = [game, quarantined];
  for (;;) {
    for (const { id: game_id, account_id } of places)
      for (const id of await findSessionIds(store.readDb, game_id))
        counts.push((await deleteSession(service, account_id, { game_id, id })) ?? {});
    const rest = await store.write(async (db) => {
      await lockForDeletion(db, store.engine, game.id);
      // Telemetry may have arrived since.
      for (const { id } of places) if ((await findSessionIds(db, id)).length > 0) return null;
      const deleted = await deleteGameRows(db, game);
      await addTombstones(db, listGameRefs(game.account_id, game.id, game.slug), service.now());
      await onDeleted(db);
      return deleted;
    });
    if (rest) return addCounts(...counts, rest);
  }
}

/** The tombstones of a game. Archives only need the one of its id: another game can get the slug. */
function listGameRefs(accountId: string, id: string, slug: string): TombstoneRef[] {
  return [
    { kind: "game", gameId: "", value: id },
    { kind: "game", gameId: accountId, value: slug },
  ];
}

/** Whether a game of an account with this id or slug was deleted. */
export async function wasGameDeleted(db: Db, accountId: string, idOrSlug: string): Promise<boolean> {
  const times = await findErasedAt(db, listGameRefs(accountId, idOrSlug, idOrSlug));
  return times.some((deletedAt) => deletedAt !== null);
}

/** Deletes the rows of a game without sessions, quarantined or not: its settings, keys, forms, experiments, batches and testers. */
export async function deleteGameRows(db: Db, game: GameRow): Promise<RowCounts> {
  return addCounts(await deleteRowsOfGame(db, game.id), await deleteRowsOfGame(db, toQuarantined(game.id)));
}

/** Deletes a game with all its sessions and settings, in steps that another run continues after a kill. */
import type { Db, GameRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { addTombstones, findErasedAt, type TombstoneRef } from "../sessions/tombstone-queries.ts";
import { deleteSession } from "./delete-session.ts";
import { lockForDeletion } from "./deletion-queries.ts";
import { addCounts, deleteRowsOfGame, findSessionIds, type RowCounts } from "./row-queries.ts";

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
  for (;;) {
    for (const id of await findSessionIds(store.readDb, game.id))
      counts.push((await deleteSession(service, game.account_id, { game_id: game.id, id })) ?? {});
    const rest = await store.write(async (db) => {
      await lockForDeletion(db, store.engine, game.id);
      // Telemetry may have arrived since.
      if ((await findSessionIds(db, game.id)).length > 0) return null;
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

/** Deletes the rows of a game without sessions: its settings, keys, forms, experiments, batches and testers. */
export async function deleteGameRows(db: Db, game: GameRow): Promise<RowCounts> {
  return await deleteRowsOfGame(db, game.id);
}

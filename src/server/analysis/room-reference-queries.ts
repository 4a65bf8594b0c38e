/** SQL for usual room times: the build that each room of a game and environment is compared with. */

import { prepareRowsQuery, runInParts } from "../db/prepared.ts";
import { updateRows } from "../db/rows.ts";
import type { Db, RoomReferenceRow, SessionRow } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";
import type { RoomKey } from "./room-time-queries.ts";

/** A game and environment, which have one reference for each room. */
type ReferenceScope = Pick<SessionRow, "game_id" | "environment">;

/** The builds that rooms are compared with. Rooms without one are omitted. */
export async function findReferenceBuilds(
  db: Db,
  { game_id, environment }: ReferenceScope,
  rooms: readonly string[],
): Promise<{ room: string; build: string }[]> {
  return await db
    .selectFrom("room_references")
    .select(["room", "build"])
    .where((eb) => eb.and({ game_id, environment }))
    .where("room", "in", [...rooms])
    .where("build", "is not", null)
    .$narrowType<{ build: string }>()
    .execute();
}

/** Creates missing references, and locks those of the rooms in a fixed order: another server may update them too. */
export async function lockReferences(
  db: Db,
  { game_id, environment }: ReferenceScope,
  rooms: readonly string[],
): Promise<RoomReferenceRow[]> {
  const empty = { build: null, first_at: null, digest: null, requeue_after: null };
  const rows = [...rooms].sort().map((room) => ({ game_id, environment, room, ...empty }));
  await runInParts(db, insertReferencesQuery, rows);
  return await runInParts(db, lockReferencesQuery, rows);
}

const insertReferencesQuery = prepareRowsQuery((db, rows: readonly RoomReferenceRow[]) =>
  db
    .insertInto("room_references")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["game_id", "environment", "room"]).doNothing()),
);

const lockReferencesQuery = prepareRowsQuery((db, rows: readonly RoomReferenceRow[]) =>
  db
    .selectFrom("room_references")
    .selectAll()
    .where((eb) => eb.and({ game_id: rows[0]?.game_id ?? "", environment: rows[0]?.environment ?? "" }))
    .where(
      "room",
      "in",
      rows.map(({ room }) => room),
    )
    .orderBy("room")
    .forUpdate(),
);

/** Changes columns of one reference. */
export async function updateReference(
  db: Db,
  { game_id, environment, room }: RoomKey,
  changed: Partial<RoomReferenceRow>,
): Promise<void> {
  await updateRows(db, "room_references", { game_id, environment, room }, changed);
}

/** Deletes the references of rooms in which no session of the game and environment has a time any more. */
export async function deleteUnusedReferences(
  db: Db,
  { game_id, environment }: ReferenceScope,
  rooms: readonly string[],
): Promise<void> {
  if (rooms.length === 0) return;
  await db
    .deleteFrom("room_references")
    .where((eb) => eb.and({ game_id, environment }))
    .where("room", "in", [...rooms])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("room_times")
            .select("room_times.session_id")
            .whereRef("room_times.game_id", "=", "room_references.game_id")
            .whereRef("room_times.environment", "=", "room_references.environment")
            .whereRef("room_times.room", "=", "room_references.room"),
        ),
      ),
    )
    .execute();
}

/** Maximum number of references to try, because other servers may be locking some at the same moment. */
const MAX_CANDIDATES = 32;

/**
 * Locks a reference that changed and whose slow sessions are not all queued yet. References are found without locks and then
 * locked by key, so that those locked by another server are skipped.
 */
export async function lockChangedReference(db: Db): Promise<RoomReferenceRow | undefined> {
  const changed = db.selectFrom("room_references").selectAll().where("requeue_after", ">=", "");
  const candidates = await changed.where(isReachable(db)).limit(MAX_CANDIDATES).execute();
  for (const { game_id, environment, room } of candidates) {
    const row = await changed
      .where((eb) => eb.and({ game_id, environment, room }))
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (row) return row;
  }
  return undefined;
}

/** Reads and writes tester handles, with the rollups of their linked devices. */
import type { TesterHandle } from "../../contract/handles.ts";
import type { Db, TesterHandleRow } from "../db/schema.ts";
import { buildSearchText } from "../sessions/list-item.ts";
import { sumMs, toSafeMs } from "../sessions/play-time-queries.ts";
import { updateSession } from "../sessions/session-queries.ts";

/** A game's handles, the most recently seen first and those never seen last. */
export async function findHandles(db: Db, gameId: string): Promise<TesterHandle[]> {
  const rows = await db.selectFrom("tester_handles").selectAll().where("game_id", "=", gameId).execute();
  const statsByDevice = new Map(
    (await readLinkedDeviceStats(db, gameId)).map((stats) => [stats.device_id, stats]),
  );
  const handles = rows.map((row) =>
    toTesterHandle(row, row.device_id === null ? undefined : statsByDevice.get(row.device_id)),
  );
  return handles.sort((a, b) => (b.last_seen_at ?? -1) - (a.last_seen_at ?? -1) || (a.id < b.id ? -1 : 1));
}

interface LinkedDeviceStats {
  readonly sessions: number;
  readonly wall_ms: number;
  readonly last_seen: number;
  readonly countries: number;
}

/** The session totals of each device of the game that is linked to a handle. */
async function readLinkedDeviceStats(db: Db, gameId: string) {
  return await db
    .selectFrom("sessions")
    .innerJoin("tester_handles", (join) =>
      join
        .onRef("tester_handles.game_id", "=", "sessions.game_id")
        .onRef("tester_handles.device_id", "=", "sessions.device_id"),
    )
    .select((eb) => [
      "tester_handles.device_id",
      eb.fn.countAll<number>().as("sessions"),
      sumMs(eb.ref("sessions.wall_ms")).as("wall_ms"),
      eb.fn.max("sessions.recorded_at").as("last_seen"),
      eb.fn.count<number>("sessions.country").distinct().as("countries"),
    ])
    .where("sessions.game_id", "=", gameId)
    .groupBy("tester_handles.device_id")
    .execute();
}

/** A handle in the format of the API. Without `stats`, its totals are 0. */
export function toTesterHandle(row: TesterHandleRow, stats?: LinkedDeviceStats): TesterHandle {
  return {
    id: row.id,
    handle: row.handle,
    key_id: row.key_id,
    device_id: row.device_id,
    claimed_at: row.claimed_at,
    session_count: Number(stats?.sessions ?? 0),
    total_play_time_ms: toSafeMs(stats?.wall_ms ?? 0),
    last_seen_at: stats ? Number(stats.last_seen) : null,
    distinct_countries: Number(stats?.countries ?? 0),
    created_at: row.created_at,
  };
}

/**
 * Links a device to a handle in one conditional write. Returns false if the handle or the device is already linked.
 * Must run in a transaction, so that concurrent claims on Postgres cannot both succeed.
 */
export async function linkDevice(
  db: Db,
  { game_id, id }: Pick<TesterHandleRow, "game_id" | "id">,
  device_id: string,
  claimed_at: number,
): Promise<boolean> {
  // Locks the row of the game, so that concurrent claims run one after the other. Two claims of one device would not
  // see each other.
  await db
    .updateTable("games")
    .set((eb) => ({ slug: eb.ref("slug") }))
    .where("id", "=", game_id)
    .execute();
  const result = await db
    .updateTable("tester_handles")
    .set({ device_id, claimed_at })
    .where((eb) => eb.and({ game_id, id }))
    .where("device_id", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("tester_handles as other")
            .select("other.id")
            .where((eb) => eb.and({ "other.game_id": game_id, "other.device_id": device_id })),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Sessions per step. */
const MAX_SESSIONS_PER_STEP = 200;

/**
 * Removes a handle from sessions of other devices than the linked one, which have sent it before the link. Returns false if none
 * are left.
 */
export async function removeSentHandle(
  db: Db,
  gameId: string,
  { handle, deviceId }: { readonly handle: string; readonly deviceId: string },
  now: number,
): Promise<boolean> {
  const rows = await db
    .selectFrom("sessions")
    .selectAll()
    .where((eb) => eb.and({ game_id: gameId, tester_handle: handle }))
    .where((eb) => eb.or([eb("device_id", "is", null), eb("device_id", "!=", deviceId)]))
    .limit(MAX_SESSIONS_PER_STEP)
    .forUpdate()
    .execute();
  for (const row of rows) {
    const search = buildSearchText({ ...row, tester_handle: null });
    await updateSession(db, row, { tester_handle: null, search }, now);
  }
  return rows.length > 0;
}

/** Reads and writes the planes and floors of rooms. */
import type { Floor, Plane } from "../../contract/heatmap-planes.ts";
import { parseStoredJson } from "../core/stored-data.ts";
import { putRow } from "../db/rows.ts";
import type { Db, RoomSettingsRow } from "../db/schema.ts";

/** Rooms of a game whose planes clients can set: an invented name must not grow the database without a limit. */
const MAX_SENT_ROOMS = 1000;

export interface RoomSettings {
  readonly room: string;
  /** Set by the studio. */
  readonly plane: Plane | null;
  /** Ranges of the third axis, from the lowest to the highest. Empty if the room has no floors. */
  readonly floors: readonly Floor[];
  /** Sent by the game with its positions. */
  readonly sentPlane: Plane | null;
}

/** Finds the rooms with settings, by name. */
export async function findRoomSettings(db: Db, gameId: string): Promise<Map<string, RoomSettings>> {
  const rows = await db
    .selectFrom("room_settings")
    .selectAll()
    .where("game_id", "=", gameId)
    .orderBy("room")
    .execute();
  return new Map(rows.map((row) => [row.room, toRoomSettings(row)]));
}

function toRoomSettings({ room, plane, floors, sent_plane }: RoomSettingsRow): RoomSettings {
  const ranges = floors === null ? [] : (parseStoredJson(floors, "The floors of a room") as Floor[]);
  return { room, plane, floors: ranges, sentPlane: sent_plane };
}

/** Inserts or replaces what the studio has set for a room. */
export async function putRoomSettings(
  db: Db,
  gameId: string,
  { room, plane, floors, sentPlane }: RoomSettings,
): Promise<void> {
  await putRow(db, "room_settings", {
    ...{ game_id: gameId, room, plane, sent_plane: sentPlane },
    floors: floors.length === 0 ? null : JSON.stringify(floors),
  });
}

/** Stores the planes that a game has sent with its positions, by room. */
export async function putSentPlanes(db: Db, gameId: string, sent: ReadonlyMap<string, Plane>): Promise<void> {
  if (sent.size === 0) return;
  const known = await findRoomSettings(db, gameId);
  let count = known.size;
  for (const [room, plane] of sent) {
    const settings = known.get(room);
    if (settings?.sentPlane === plane || (!settings && count >= MAX_SENT_ROOMS)) continue;
    if (!settings) count += 1;
    await putRoomSettings(db, gameId, {
      ...(settings ?? { room, plane: null, floors: [] }),
      sentPlane: plane,
    });
  }
}

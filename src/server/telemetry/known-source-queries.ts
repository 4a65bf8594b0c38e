/** Which devices and builds a game has had before. */
import { prepareQuery } from "../db/prepared.ts";
import { hasRows } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";

/** Whether a device has a session of the game. */
export async function hasDevice(db: Db, gameId: string, deviceId: string): Promise<boolean> {
  return (await findDeviceQuery(db, { gameId, deviceId })).rows.length > 0;
}

const findDeviceQuery = prepareQuery((db, { gameId, deviceId }: { gameId: string; deviceId: string }) =>
  db
    .selectFrom("sessions")
    .select("id")
    .where((eb) => eb.and({ game_id: gameId, device_id: deviceId }))
    .limit(1),
);

/** Whether a build has a session of the game. */
export async function hasBuild(
  db: Db,
  { gameId, accountId }: { readonly gameId: string; readonly accountId: string },
  build: string,
): Promise<boolean> {
  return (await findBuildQuery(db, { gameId, accountId, build })).rows.length > 0;
}

const findBuildQuery = prepareQuery(
  (db, { gameId, accountId, build }: { gameId: string; accountId: string; build: string }) =>
    db
      .selectFrom("sessions")
      .select("id")
      .where((eb) => eb.and({ account_id: accountId, game_id: gameId, build }))
      .limit(1),
);

/** Whether the service received a session of the device at or before a time. */
export async function isDeviceKnownSince(
  db: Db,
  gameId: string,
  deviceId: string | null,
  time: number,
): Promise<boolean> {
  if (deviceId === null) return false;
  return await hasRows(
    db
      .selectFrom("sessions")
      .select("id")
      .where((eb) => eb.and({ game_id: gameId, device_id: deviceId }))
      // Sessions of earlier versions have no time of receipt.
      .where((eb) => eb.or([eb("received_at", "is", null), eb("received_at", "<=", time)])),
  );
}

/** Reads the tester handle that a device is linked to. */
import { prepareQuery } from "../db/prepared.ts";
import type { Db } from "../db/schema.ts";

/** The handle of a device, or null. Every session that the device starts after a claim has this handle. */
export async function findLinkedHandle(db: Db, gameId: string, deviceId: string): Promise<string | null> {
  return (await linkedHandleQuery(db, { gameId, deviceId })).rows[0]?.handle ?? null;
}

const linkedHandleQuery = prepareQuery((db, { gameId, deviceId }: { gameId: string; deviceId: string }) =>
  db
    .selectFrom("tester_handles")
    .select("handle")
    .where("game_id", "=", gameId)
    .where("device_id", "=", deviceId),
);

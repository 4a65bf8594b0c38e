/** Reads the tester handle that a device is linked to. */
import type { Db } from "../db/schema.ts";

/** The handle of a device, or null. Every session that the device starts after a claim has this handle. */
export async function findLinkedHandle(db: Db, gameId: string, deviceId: string): Promise<string | null> {
  const row = await db
    .selectFrom("tester_handles")
    .select("handle")
    .where("game_id", "=", gameId)
    .where("device_id", "=", deviceId)
    .executeTakeFirst();
  return row?.handle ?? null;
}

/** Finds testers by handle, device or session. */
import { HttpError } from "../../contract/errors.ts";
import { prepareQuery } from "../db/prepared.ts";
import { hasRows } from "../db/rows.ts";
import type { Db, TesterHandleRow } from "../db/schema.ts";

/** Selects the sessions of a tester: those of a device, those that name a handle, or one session without a device. */
export interface TesterSessionFilter {
  readonly column: "device_id" | "tester_handle" | "id";
  readonly value: string;
}

/** A tester that a name was resolved to. The handle or the device may be unknown. */
export interface TesterIdentity {
  readonly handle: string | null;
  readonly deviceId: string | null;
  readonly sessionFilter: TesterSessionFilter;
}

/** The device of the newest session that names a handle (null if it sent none); undefined if no session names it. */
async function findNewestWithHandle(
  db: Db,
  gameId: string,
  handle: string,
): Promise<{ deviceId: string | null } | undefined> {
  const row = await db
    .selectFrom("sessions")
    .select("device_id")
    .where((eb) => eb.and({ game_id: gameId, tester_handle: handle }))
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row ? { deviceId: row.device_id } : undefined;
}

/** The handles of devices, by device id. A device is linked to at most one handle. */
export async function findHandlesByDevice(
  db: Db,
  gameId: string,
  deviceIds: readonly string[],
): Promise<Map<string, string>> {
  if (deviceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("tester_handles")
    .select(["handle", "device_id"])
    .where("game_id", "=", gameId)
    .where("device_id", "in", [...deviceIds])
    .execute();
  return new Map(rows.flatMap(({ device_id, handle }) => (device_id === null ? [] : [[device_id, handle]])));
}

/** Whether the game has a session of the tester in any environment. A session with a device is no tester. */
async function testerExists(
  db: Db,
  gameId: string,
  { column, value }: TesterSessionFilter,
): Promise<boolean> {
  return await hasRows(
    db
      .selectFrom("sessions")
      .select("id")
      .where("game_id", "=", gameId)
      .where(column, "=", value)
      .$if(column === "id", (query) => query.where("device_id", "is", null)),
  );
}

/** A game's handle by one of its unique columns, or undefined. */
export async function findHandle(
  db: Db,
  gameId: string,
  column: "id" | "handle" | "device_id" | "claim_token_hash",
  value: string,
): Promise<TesterHandleRow | undefined> {
  return await db
    .selectFrom("tester_handles")
    .selectAll()
    .where("game_id", "=", gameId)
    .where(column, "=", value)
    .executeTakeFirst();
}

/**
 * Resolves a name to a tester. It may be a handle with a linked device (all sessions of the device), a handle that
 * sessions name (those sessions), a device id, or the id of a session without a device, in this order. Throws `not_found`
 * if it is none of them.
 */
export async function resolveTester(db: Db, gameId: string, name: string): Promise<TesterIdentity> {
  const registered = await findHandle(db, gameId, "handle", name);
  if (registered?.device_id != null)
    return { handle: name, deviceId: registered.device_id, sessionFilter: byDevice(registered.device_id) };
  const named = await findNewestWithHandle(db, gameId, name);
  if (registered || named) {
    return {
      handle: name,
      deviceId: named?.deviceId ?? null,
      sessionFilter: { column: "tester_handle", value: name },
    };
  }
  if (await testerExists(db, gameId, byDevice(name))) {
    const handles = await findHandlesByDevice(db, gameId, [name]);
    return { handle: handles.get(name) ?? null, deviceId: name, sessionFilter: byDevice(name) };
  }
  const bySession: TesterSessionFilter = { column: "id", value: name };
  if (!(await testerExists(db, gameId, bySession))) throw new HttpError("not_found");
  return { handle: null, deviceId: null, sessionFilter: bySession };
}

const byDevice = (value: string): TesterSessionFilter => ({ column: "device_id", value });

/** The handle of a device, or null. Every session that the device starts after a claim has this handle. */
export async function findLinkedHandle(db: Db, gameId: string, deviceId: string): Promise<string | null> {
  return (await linkedHandleQuery(db, { gameId, deviceId })).rows[0]?.handle ?? null;
}

const linkedHandleQuery = prepareQuery((db, { gameId, deviceId }: { gameId: string; deviceId: string }) =>
  db
    .selectFrom("tester_handles")
    .select("handle")
    .where((eb) => eb.and({ game_id: gameId, device_id: deviceId })),
);

/** Whether a handle is linked to another device than that of a session. */
export async function isLinkedElsewhere(
  db: Db,
  gameId: string,
  handle: string,
  deviceId: string | undefined,
): Promise<boolean> {
  const linked = (await linkedDeviceQuery(db, { gameId, handle })).rows[0]?.device_id ?? null;
  return linked !== null && linked !== deviceId;
}

const linkedDeviceQuery = prepareQuery((db, { gameId, handle }: { gameId: string; handle: string }) =>
  db
    .selectFrom("tester_handles")
    .select("device_id")
    .where((eb) => eb.and({ game_id: gameId, handle })),
);

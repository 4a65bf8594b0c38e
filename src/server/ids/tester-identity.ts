/** Resolves the name of a tester, for every endpoint that reads one tester. */
import { HttpError } from "../../contract/errors.ts";
import type { Db } from "../db/schema.ts";
import {
  findHandle,
  findHandlesByDevice,
  findNewestWithHandle,
  type TesterIdentity,
  type TesterSessionFilter,
  testerExists,
} from "./tester-queries.ts";

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

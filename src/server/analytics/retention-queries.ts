/** Reads when each device played, for retention. */
import { countRows } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import { type SessionScope, selectSessions } from "../sessions/scope-queries.ts";

const ROWS_PER_QUERY = 5000;
/** The maximum number of sessions that one request reads. */
const MAX_RETENTION_SESSIONS = 200_000;

/** The sessions of one device, the oldest first. */
export interface DeviceSessions {
  readonly firstBuild: string;
  /** Unix ms. */
  readonly playedAt: readonly number[];
}

/** All devices of the environment with their sessions, and the number of sessions that were not read. */
export async function readDeviceSessions(
  db: Db,
  scope: SessionScope,
  limit = MAX_RETENTION_SESSIONS,
): Promise<{ readonly devices: DeviceSessions[]; readonly skipped: number }> {
  const devices = new Map<string, { firstBuild: string; playedAt: number[] }>();
  let after: string | null = null;
  let read = 0;
  while (read < limit) {
    const rows = await readRows(db, scope, after);
    if (rows.length === 0) break;
    // The sessions of the last device may continue in the next part, so that part starts with this device.
    const lastDevice = rows.at(-1)?.device_id ?? "";
    const isLastPart = rows.length < ROWS_PER_QUERY;
    const complete = isLastPart ? rows : rows.filter(({ device_id }) => device_id !== lastDevice);
    const counted = complete.length > 0 ? complete : rows;
    for (const { device_id, build, recorded_at } of counted) {
      const known = devices.get(device_id ?? "");
      if (known) {
        known.firstBuild = build;
        known.playedAt.unshift(recorded_at);
      } else devices.set(device_id ?? "", { firstBuild: build, playedAt: [recorded_at] });
    }
    read += counted.length;
    after = counted.at(-1)?.device_id ?? "";
    if (isLastPart) break;
  }
  const total = await countRows(selectSessions(db, scope).where("device_id", "is not", null));
  return { devices: [...devices.values()], skipped: Math.max(0, total - read) };
}

/** A part of the sessions by device, the newest of each device first, as their index orders them. */
async function readRows(db: Db, scope: SessionScope, after: string | null) {
  return await selectSessions(db, scope)
    .select(["device_id", "build", "recorded_at"])
    .where("device_id", "is not", null)
    .$if(after !== null, (query) => query.where("device_id", ">", after ?? ""))
    .orderBy("device_id")
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(ROWS_PER_QUERY)
    .execute();
}

/** The number of sessions of these builds without a device id. */
export async function countWithoutDevice(
  db: Db,
  scope: SessionScope,
  builds: readonly string[],
): Promise<number> {
  if (builds.length === 0) return 0;
  return await countRows(
    selectSessions(db, scope).where("build", "in", builds).where("device_id", "is", null),
  );
}

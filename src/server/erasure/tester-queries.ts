/** Finds everything that belongs to one tester of a game: handles, devices, email addresses, keys, invites and sessions. */
import { sql } from "kysely";
import { toQuarantined } from "../db/quarantined-ids.ts";
import type { Db } from "../db/schema.ts";

export const testerNameKinds = ["handle", "device", "email"] as const;
export type TesterNameKind = (typeof testerNameKinds)[number];

export type TesterNames = { readonly [Kind in TesterNameKind]: readonly string[] };

/** The places of a game's sessions: a quarantined session names its tester as well. */
const withQuarantined = (gameId: string) => [gameId, toQuarantined(gameId)];

/**
 * The names in a game that a text can mean. A text can be the name of a handle and of a device. The case of email addresses
 * does not matter. A player who has only sent bug reports without a session counts as a handle.
 */
export async function findNames(db: Db, gameId: string, name: string): Promise<TesterNames> {
  const kinds = await findNameKinds(db, gameId, name);
  const names = {
    handle: kinds.includes("handle") ? [name] : [],
    device: kinds.includes("device") ? [name] : [],
    email: await findEmails(db, gameId, name),
  };
  if (kinds.length > 0 || names.email.length > 0) return names;
  const report = await db
    .selectFrom("bug_reports")
    .select("id")
    .where("game_id", "in", withQuarantined(gameId))
    .where("player_id", "=", name)
    .limit(1)
    .executeTakeFirst();
  return report ? { ...names, handle: [name] } : names;
}

/** The stored spellings of an email address. */
async function findEmails(db: Db, gameId: string, email: string): Promise<string[]> {
  const invites = await db
    .selectFrom("tester_invites")
    .select("email")
    .where("game_id", "=", gameId)
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .execute();
  const keys = await db
    .selectFrom("playtest_keys")
    .select("redeemed_by_email as email")
    .where("game_id", "=", gameId)
    .where(sql<boolean>`lower(redeemed_by_email) = lower(${email})`)
    .execute();
  return [...new Set([...invites, ...keys].flatMap((row) => row.email ?? []))];
}

async function findNameKinds(
  db: Db,
  gameId: string,
  name: string,
): Promise<Exclude<TesterNameKind, "email">[]> {
  const columns = {
    handle: [
      ["tester_handles", "handle"],
      ["sessions", "tester_handle"],
      ["playtest_keys", "redeemed_by_handle"],
    ],
    device: [
      ["sessions", "device_id"],
      ["tester_handles", "device_id"],
      ["tester_summaries", "device_id"],
    ],
  } as const;
  const kinds: (keyof typeof columns)[] = [];
  for (const kind of ["handle", "device"] as const) {
    for (const [table, column] of columns[kind]) {
      const row = await db
        .selectFrom(table)
        .select("game_id")
        .where("game_id", "in", withQuarantined(gameId))
        .where(db.dynamic.ref<never>(column), "=", name)
        .limit(1)
        .executeTakeFirst();
      if (row && !kinds.includes(kind)) kinds.push(kind);
    }
  }
  return kinds;
}

/** The other names of the tester with a handle. A device that several handles use is not one of them. */
async function findNamesOfHandle(db: Db, gameId: string, handle: string): Promise<TesterNames> {
  const linked = await db
    .selectFrom("tester_handles")
    .select(["device_id", "key_id"])
    .where((eb) => eb.and({ game_id: gameId, handle }))
    .execute();
  const played = await db
    .selectFrom("sessions")
    .select("device_id")
    .distinct()
    .where("game_id", "in", withQuarantined(gameId))
    .where("tester_handle", "=", handle)
    .where("device_id", "is not", null)
    .execute();
  const devices = linked.flatMap(({ device_id }) => device_id ?? []);
  for (const { device_id } of played) {
    if (device_id === null || devices.includes(device_id)) continue;
    if ((await findPlayedHandles(db, gameId, device_id)).length === 1) devices.push(device_id);
  }
  const keys = await db
    .selectFrom("playtest_keys")
    .select("redeemed_by_email")
    .where("game_id", "=", gameId)
    .where((eb) => {
      const ids = linked.flatMap(({ key_id }) => key_id ?? []);
      const byHandle = eb("redeemed_by_handle", "=", handle);
      return ids.length === 0 ? byHandle : eb.or([byHandle, eb("id", "in", ids)]);
    })
    .execute();
  return {
    handle: [],
    device: devices,
    email: keys.flatMap(({ redeemed_by_email }) => redeemed_by_email ?? []),
  };
}

/** The handles of a device's sessions. */
async function findPlayedHandles(db: Db, gameId: string, deviceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select("tester_handle")
    .distinct()
    .where("game_id", "in", withQuarantined(gameId))
    .where("device_id", "=", deviceId)
    .where("tester_handle", "is not", null)
    .execute();
  return rows.flatMap(({ tester_handle }) => tester_handle ?? []);
}

/** The handle that a device is linked to, or else the only handle of its sessions. */
async function findNamesOfDevice(db: Db, gameId: string, deviceId: string): Promise<TesterNames> {
  const linked = await db
    .selectFrom("tester_handles")
    .select("handle")
    .where((eb) => eb.and({ game_id: gameId, device_id: deviceId }))
    .execute();
  const played = await findPlayedHandles(db, gameId, deviceId);
  const handles = [...linked.map(({ handle }) => handle), ...(played.length === 1 ? played : [])];
  return { handle: handles, device: [], email: [] };
}

/** The handles that redeemed keys with an email address. */
async function findNamesOfEmail(db: Db, gameId: string, email: string): Promise<TesterNames> {
  const rows = await db
    .selectFrom("playtest_keys")
    .leftJoin("tester_invites", (join) =>
      join
        .onRef("tester_invites.game_id", "=", "playtest_keys.game_id")
        .onRef("tester_invites.id", "=", "playtest_keys.tester_invite_id"),
    )
    .select("redeemed_by_handle")
    .where("playtest_keys.game_id", "=", gameId)
    .where((eb) => eb.or([eb("redeemed_by_email", "=", email), eb("tester_invites.email", "=", email)]))
    .execute();
  return {
    handle: rows.flatMap(({ redeemed_by_handle }) => redeemed_by_handle ?? []),
    device: [],
    email: await findEmails(db, gameId, email),
  };
}

export const findOtherNames: {
  readonly [Kind in TesterNameKind]: (db: Db, gameId: string, name: string) => Promise<TesterNames>;
} = { handle: findNamesOfHandle, device: findNamesOfDevice, email: findNamesOfEmail };

/** The ids of a tester's sessions, oldest first. */
export async function findTesterSessions(
  db: Db,
  gameId: string,
  { handle, device }: TesterNames,
): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "=", gameId)
    .where((eb) =>
      eb.or([
        ...(handle.length > 0 ? [eb("tester_handle", "in", [...handle])] : []),
        ...(device.length > 0 ? [eb("device_id", "in", [...device])] : []),
      ]),
    )
    .orderBy("recorded_at")
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** The ids of the playtest keys and invites of a tester. */
export async function findKeysAndInvites(
  db: Db,
  gameId: string,
  { handle, email }: TesterNames,
): Promise<{ playtestKey: string[]; invite: string[] }> {
  const linked = await db
    .selectFrom("tester_handles")
    .select("key_id")
    .where("game_id", "=", gameId)
    .where("handle", "in", ["", ...handle])
    .where("key_id", "is not", null)
    .execute();
  const invited = await db
    .selectFrom("tester_invites")
    .select("id")
    .where("game_id", "=", gameId)
    .where("email", "in", ["", ...email])
    .execute();
  const keys = await db
    .selectFrom("playtest_keys")
    .select(["id", "tester_invite_id"])
    .where("game_id", "=", gameId)
    .where((eb) =>
      eb.or([
        eb("redeemed_by_handle", "in", ["", ...handle]),
        eb("redeemed_by_email", "in", ["", ...email]),
        eb("id", "in", ["", ...linked.flatMap(({ key_id }) => key_id ?? [])]),
        eb("tester_invite_id", "in", ["", ...invited.map(({ id }) => id)]),
      ]),
    )
    .execute();
  const invites = [
    ...invited.map(({ id }) => id),
    ...keys.flatMap(({ tester_invite_id }) => tester_invite_id ?? []),
  ];
  const open = await findOpenInvites(db, gameId, invites);
  return {
    playtestKey: [...keys.map(({ id }) => id), ...open.flatMap(({ key_id }) => key_id ?? [])],
    invite: [...new Set([...invites, ...open.map(({ id }) => id)])],
  };
}

/**
 * Further invites to the addresses of some invites, with their reserved keys. A tester may redeem an invite with another
 * address. Only invites that nobody has redeemed, because somebody else may have redeemed the others.
 */
async function findOpenInvites(db: Db, gameId: string, invites: readonly string[]) {
  return await db
    .selectFrom("tester_invites as other")
    .innerJoin("tester_invites as known", (join) =>
      join.onRef("known.game_id", "=", "other.game_id").onRef("known.email", "=", "other.email"),
    )
    .leftJoin("playtest_keys", (join) =>
      join
        .onRef("playtest_keys.game_id", "=", "other.game_id")
        .onRef("playtest_keys.tester_invite_id", "=", "other.id"),
    )
    .select(["other.id", "playtest_keys.id as key_id"])
    .where("other.game_id", "=", gameId)
    .where("known.id", "in", ["", ...invites])
    .where("other.redeemed_at", "is", null)
    .execute();
}

/** Makes the keys available again that are reserved for erased invites. */
export async function releaseReservedKeys(db: Db, gameId: string, keyIds: readonly string[]): Promise<void> {
  if (keyIds.length === 0) return;
  await db
    .updateTable("playtest_keys")
    .set({ status: "available" })
    .where("game_id", "=", gameId)
    .where("id", "in", [...keyIds])
    .where("status", "=", "reserved")
    .execute();
}

/** Deletes the current rate limit windows of devices. The keys contain the devices, and the windows last a minute. */
export async function deleteDeviceWindows(db: Db): Promise<void> {
  await db
    .withTables<{ rate_limits: { key: string } }>()
    .deleteFrom("rate_limits")
    .where("key", "like", "device:%")
    .execute();
}

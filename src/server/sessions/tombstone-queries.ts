/** Tombstones: keyed hashes of what was erased, so that late telemetry and older archives do not bring it back. */
import { ERASED, HttpError } from "../../contract/errors.ts";
import { createKeyedHasher } from "../db/keyed-hash.ts";
import { prepareQuery } from "../db/prepared.ts";
import { toOriginal } from "../db/quarantined-ids.ts";
import type { Db, SessionRow, TombstoneKind, TombstoneRow } from "../db/schema.ts";
import { hashClientSession } from "./client-session.ts";

/** Something that has or may have a tombstone. */
export interface TombstoneRef {
  readonly kind: TombstoneKind;
  /** Empty for sessions and games, whose ids are unique. */
  readonly gameId: string;
  readonly value: string;
}

/** Hashes references, in their order. */
async function hashRefs(db: Db, refs: readonly TombstoneRef[]): Promise<string[]> {
  const hash = await createKeyedHasher(db);
  return refs.map(({ kind, gameId, value }) => hash(JSON.stringify([kind, toOriginal(gameId), value])));
}

/** Adds tombstones. If something was erased before, its tombstone gets the later time. */
export async function addTombstones(db: Db, refs: readonly TombstoneRef[], erasedAt: number): Promise<void> {
  const hashes = await hashRefs(db, refs);
  for (const [index, { kind }] of refs.entries())
    await storeTombstone(db, { kind, hash: hashes[index] ?? "", erased_at: erasedAt });
}

/** Stores a tombstone, or the later time of an existing one. */
export async function storeTombstone(db: Db, row: TombstoneRow): Promise<void> {
  await db
    .insertInto("tombstones")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["kind", "hash"])
        .doUpdateSet({ erased_at: row.erased_at })
        .where("tombstones.erased_at", "<", row.erased_at),
    )
    .execute();
}

/** When each of the references was erased, unix ms, in their order; null if it was not. */
export async function findErasedAt(db: Db, refs: readonly TombstoneRef[]): Promise<(number | null)[]> {
  if (refs.length === 0 || !(await hasTombstones(db))) return refs.map(() => null);
  const hashes = await hashRefs(db, refs);
  const rows = await db
    .selectFrom("tombstones")
    .select(["hash", "erased_at"])
    .where("hash", "in", hashes)
    .execute();
  const erasedAt = new Map(rows.map((row) => [row.hash, Number(row.erased_at)]));
  return hashes.map((hash) => erasedAt.get(hash) ?? null);
}

async function hasTombstones(db: Db): Promise<boolean> {
  return (await anyTombstoneQuery(db, {})).rows.length > 0;
}

const anyTombstoneQuery = prepareQuery((db) => db.selectFrom("tombstones").select("kind").limit(1));

const toSessionRef = (id: string): TombstoneRef => ({ kind: "session", gameId: "", value: id });

/** The references by which telemetry can name a session. */
export function listSessionRefs({
  game_id: gameId,
  id,
  client_session_id,
  creation_hash,
}: Pick<SessionRow, "game_id" | "id" | "client_session_id" | "creation_hash">): TombstoneRef[] {
  const optional = [
    ["client_session", client_session_id],
    ["creation", creation_hash],
  ] as const;
  return [
    toSessionRef(id),
    ...optional.flatMap(([kind, value]) => (value === null ? [] : [{ kind, gameId, value }])),
  ];
}

/** The references that distinguish the device of a session with a client session id from other devices. */
export function listHolderRefs({
  game_id: gameId,
  client_session_id,
  device_id,
}: Pick<SessionRow, "game_id" | "client_session_id" | "device_id">): TombstoneRef[] {
  if (client_session_id === null || device_id === null) return [];
  return [device_id, null].map((device) => ({
    ...{ kind: "creation" as const, gameId },
    value: hashClientSession(client_session_id, device),
  }));
}

/** Whether the session with a client session id was erased, and belonged to another device. */
export async function isHeldByErased(
  db: Db,
  gameId: string,
  clientSessionId: string,
  deviceId: string,
): Promise<boolean> {
  const ids = { game_id: gameId, client_session_id: clientSessionId, device_id: deviceId };
  const [own = null, held = null] = await findErasedAt(db, listHolderRefs(ids));
  return held !== null && own === null;
}

export async function isSessionErased(db: Db, sessionId: string): Promise<boolean> {
  const [erasedAt = null] = await findErasedAt(db, [toSessionRef(sessionId)]);
  return erasedAt !== null;
}

/** Throws `conflict` with the reason `erased` if a session was erased. */
export async function rejectErasedSession(db: Db, sessionId: string): Promise<void> {
  if (await isSessionErased(db, sessionId)) throw erasedError();
}

/** What a new session says about itself. */
type NewSessionIds = Pick<
  SessionRow,
  "game_id" | "client_session_id" | "creation_hash" | "device_id" | "tester_handle"
>;

/**
 * Throws `conflict` with the reason `erased` if a request would create a session that was erased, or one that an erased
 * device or tester started before the erasure. What they play later belongs to a new tester.
 */
export async function rejectErasedCreation(db: Db, row: NewSessionIds, startedAt: number): Promise<void> {
  const { game_id: gameId, client_session_id, creation_hash, device_id, tester_handle } = row;
  const refs = (
    [
      ["client_session", client_session_id],
      ["creation", creation_hash ?? hashOwnSession(row)],
      ["device", device_id],
      ["handle", tester_handle],
    ] as const
  ).flatMap(([kind, value]) => (value === null ? [] : [{ kind, gameId, value }]));
  const times = await findErasedAt(db, refs);
  const isErased = refs.some(({ kind }, index) => {
    const erasedAt = times[index] ?? null;
    if (erasedAt === null) return false;
    return kind === "device" || kind === "handle" ? startedAt <= erasedAt : true;
  });
  if (isErased) throw erasedError();
}

/** Another session may have had the client session id when the device's own was erased. */
function hashOwnSession({ client_session_id, device_id }: NewSessionIds): string | null {
  return client_session_id === null || device_id === null
    ? null
    : hashClientSession(client_session_id, device_id);
}

/** The message names no ids, because refusals are stored for the live tail. */
function erasedError(): HttpError {
  const message = "The session or its tester was erased, so its data is no longer accepted";
  return new HttpError("conflict", { message, extra: { reason: ERASED } });
}

/** Erases again what tombstones name, after older data came back with an archive or a backup. */
import { ServiceError } from "../core/errors.ts";
import { toOriginal, toQuarantined } from "../db/quarantined-ids.ts";
import type { Db, GameRow } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { lockSession } from "../sessions/session-queries.ts";
import { findErasedAt, listSessionRefs, type TombstoneRef } from "../sessions/tombstone-queries.ts";
import { clearRefusals } from "../telemetry/arrival-queries.ts";
import { deleteGameRows, deleteLockedSession } from "./delete-session.ts";
import { lockForDeletion } from "./deletion-queries.ts";
import {
  type Erasures,
  findAllGames,
  findNamedRows,
  findSessionIdentities,
  hasTombstones,
  mergeErasures,
  type SessionIdentity,
} from "./erase-again-queries.ts";
import { addCounts, eraseRows, type RowCounts } from "./row-queries.ts";
import {
  findKeysAndInvites,
  releaseReservedKeys,
  type TesterNameKind,
  type TesterNames,
} from "./tester-queries.ts";

/**
 * Erases again, in one transaction, what the tombstones of the database name, and those of `erasures`, which come from a newer
 * archive of the same database. Returns the number of erased rows by table. Call `purgeDeleted` afterwards if there are any.
 * Throws `conflict` if `erasures` belong to another database.
 */
export async function eraseAgain(
  db: Db,
  engine: Store["engine"],
  now: number,
  erasures: Erasures | null = null,
): Promise<RowCounts> {
  if (erasures && !(await mergeErasures(db, erasures)))
    throw new ServiceError("conflict", {
      message: "The erasures belong to another database: its keyed hashes have another secret",
      hint: "Use an archive of the same database that was exported later.",
    });
  if (!(await hasTombstones(db))) return {};
  const counts: RowCounts[] = [];
  for (const game of await findAllGames(db)) {
    const quarantined = { id: toQuarantined(game.id), account_id: toQuarantined(game.account_id) };
    counts.push(await eraseFromGame(db, engine, { ...game, ...quarantined }, now));
    counts.push(await eraseFromGame(db, engine, game, now));
  }
  return addCounts(...counts);
}

/**
 * Erases from a restored copy of a database file what was erased after the copy was made. `previous` is what was erased from
 * the database that the copy will replace. If that is another database, it has no effect. `erasures` are those of a newer
 * archive or backup. Throws `conflict` if they belong to another database.
 */
export async function eraseFromCopy(
  copy: Store,
  { previous, erasures }: { readonly previous: Erasures | null; readonly erasures: Erasures | null },
  now: number,
): Promise<RowCounts> {
  const erased = await copy.serializable(async (db) => {
    if (previous) await mergeErasures(db, previous);
    return await eraseAgain(db, copy.engine, now, erasures);
  });
  if (Object.keys(erased).length > 0) await copy.purgeDeleted();
  return erased;
}

async function eraseFromGame(
  db: Db,
  engine: Store["engine"],
  game: GameRow,
  now: number,
): Promise<RowCounts> {
  const sessions: string[] = [];
  const [gameErasedAt = null] = await findErasedAt(db, [
    { kind: "game", gameId: "", value: toOriginal(game.id) },
  ]);
  for (const session of await findSessionIdentities(db, game.id))
    if (gameErasedAt !== null || (await isErased(db, session))) sessions.push(session.id);
  const names = await findErasedNames(db, game.id);
  const isUnchanged = sessions.length === 0 && Object.values(names).every(({ length }) => length === 0);
  if (isUnchanged && gameErasedAt === null) return {};
  await lockForDeletion(db, engine, game.id);
  const counts: RowCounts[] = [];
  const devices = [...names.device];
  for (const id of sessions) {
    const row = await lockSession(db, game.account_id, id);
    if (!row) continue;
    counts.push(await deleteLockedSession(db, row, now));
    if (row.device_id !== null) devices.push(row.device_id);
  }
  if (gameErasedAt === null) {
    const found = { ...names, ...(await findKeysAndInvites(db, game.id, names)) };
    await releaseReservedKeys(db, game.id, found.playtestKey);
    counts.push(await eraseRows(db, game.id, found));
    await clearRefusals(db, game.account_id, { sessions, devices });
  } else await deleteGameRows(db, game);
  return addCounts(...counts);
}

/** Whether a session was erased, or is of an erased tester and was received or recorded before the erasure. */
async function isErased(db: Db, session: SessionIdentity): Promise<boolean> {
  const { game_id: gameId, device_id, tester_handle, recorded_at, received_at } = session;
  const owners = [
    ["device", device_id],
    ["handle", tester_handle],
  ] as const;
  const refs: TombstoneRef[] = [
    ...listSessionRefs(session),
    ...owners.flatMap(([kind, value]) => (value === null ? [] : [{ kind, gameId, value }])),
  ];
  const times = await findErasedAt(db, refs);
  const at = Math.min(recorded_at, received_at ?? recorded_at);
  return refs.some(({ kind }, index) => {
    const erasedAt = times[index] ?? null;
    if (erasedAt === null) return false;
    return kind === "device" || kind === "handle" ? at <= erasedAt : true;
  });
}

/** The names of erased testers in rows that are as old as their erasure. */
async function findErasedNames(db: Db, gameId: string): Promise<TesterNames> {
  const names: { [Kind in TesterNameKind]: string[] } = { handle: [], device: [], email: [] };
  for (const { kind, value, at } of await findNamedRows(db, gameId)) {
    const [erasedAt = null] = await findErasedAt(db, [{ kind, gameId, value }]);
    if (erasedAt !== null && at <= erasedAt && !names[kind].includes(value)) names[kind].push(value);
  }
  return names;
}

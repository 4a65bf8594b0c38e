/**
 * The games of an account, as searches over them name them on a sharded database: only the shards of named games are asked.
 * Without shards, searches use the indexes that begin with the account, and name no games.
 */
import { type RawBuilder, sql } from "kysely";
import { isQuarantined, toOriginal, toQuarantined } from "./quarantined-ids.ts";
import type { Db } from "./schema.ts";
import { findReachableGames, isSharded, NodeDownError } from "./sharding.ts";

/** Games to search; undefined for all. */
export type NamedGames = readonly string[] | undefined;

/** With more games than this, every shard is asked. */
const MAX_NAMED_GAMES = 1000;

/** The games that transactions have read already, by account. A read transaction sees the same ones until its end. */
const readGames = new WeakMap<Db, Map<string, Promise<NamedGames>>>();

/** The games of an account, for a list of all of them; undefined if they need not be named. */
export async function nameGames(db: Db, accountId: string): Promise<NamedGames> {
  if (!isSharded(db)) return undefined;
  if (!db.isTransaction) return await findGames(db, accountId);
  const known = readGames.get(db) ?? new Map<string, Promise<NamedGames>>();
  readGames.set(db, known);
  const games = known.get(accountId) ?? findGames(db, accountId);
  known.set(accountId, games);
  return await games;
}

async function findGames(db: Db, accountId: string): Promise<NamedGames> {
  const rows = await db
    .selectFrom("games")
    .select("id")
    .where("account_id", "=", toOriginal(accountId))
    .limit(MAX_NAMED_GAMES + 1)
    .execute();
  const toName = isQuarantined(accountId) ? toQuarantined : (id: string) => id;
  return rows.length > MAX_NAMED_GAMES ? undefined : rows.map(({ id }) => toName(id));
}

/** Whether a row belongs to one of the games. */
export function isInGames(games: NamedGames, column = "game_id"): RawBuilder<boolean> {
  return games === undefined ? sql`true` : sql`${sql.ref(column)} = any(${games}::text[])`;
}

/**
 * Looks for something in the games of an account whose nodes respond. Throws a temporary error if it was not found, but may be on
 * a node that is down.
 */
export async function searchGames<T>(
  db: Db,
  accountId: string,
  search: (games: NamedGames) => Promise<T | undefined>,
): Promise<T | undefined> {
  const own = await nameGames(db, accountId);
  const reachable = findReachableGames(db);
  if (reachable === null) return await search(own);
  const responding = own?.filter((id) => reachable.has(id)) ?? [...reachable];
  const found = await search(responding);
  if (found === undefined && responding.length !== own?.length) throw new NodeDownError();
  return found;
}

/** Reads and writes the games of an account. */
import { HttpError } from "../../contract/errors.ts";
import { defaultSdkSettings, type SdkSettings } from "../../contract/event-config.ts";
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import type { Game } from "../../contract/games.ts";
import { prepareQuery } from "../db/prepared.ts";
import { updateRows } from "../db/rows.ts";
import type { Db, GameRow } from "../db/schema.ts";

/** Returns the games of an account, newest first. */
export async function findAccountGames(db: Db, accountId: string): Promise<GameRow[]> {
  return await db
    .selectFrom("games")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
}

/** Finds a game of the account by id or slug. Throws `not_found` if the account has none, even if another has. */
export async function requireGame(db: Db, accountId: string, idOrSlug: string): Promise<GameRow> {
  const game = await findGame(db, accountId, idOrSlug);
  if (!game) throw new HttpError("not_found");
  return game;
}

/**
 * Locks a game for compaction until the transaction ends. Returns false, without waiting, if another compaction or a
 * deletion has locked it.
 */
export async function tryLockGame(db: Db, gameId: string): Promise<boolean> {
  const game = await db
    .selectFrom("games")
    .select("id")
    .where("id", "=", gameId)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return game !== undefined;
}

/** Finds a game of the account by id or slug. */
export async function findGame(db: Db, accountId: string, idOrSlug: string): Promise<GameRow | undefined> {
  return (await gameByIdOrSlugQuery(db, { accountId, idOrSlug })).rows[0];
}

/** Named, so that the query can be prepared on a Postgres server, unlike one that selects `*`. */
const gameColumns = [
  "id",
  "account_id",
  "slug",
  "name",
  "sdk_settings",
  "created_at",
  "deletions",
] as const satisfies (keyof GameRow)[];

const gameByIdOrSlugQuery = prepareQuery(
  (db, { accountId, idOrSlug }: { accountId: string; idOrSlug: string }) =>
    db
      .selectFrom("games")
      .select(gameColumns)
      .where("account_id", "=", accountId)
      .where((eb) => eb.or([eb("id", "=", idOrSlug), eb("slug", "=", idOrSlug)])),
);

/** Converts a game to its form in the API. */
export function toGame(row: GameRow): Game {
  return { id: row.id, userId: row.account_id, name: row.name, slug: row.slug, createdAt: row.created_at };
}

/** Renames a game. Its slug and id do not change. */
export async function renameGame(db: Db, gameId: string, name: string): Promise<void> {
  await updateRows(db, "games", { id: gameId }, { name });
}

/** Counts the sessions, builds and testers of a game. Sessions without a build are not counted as a build. */
export async function readGameCounts(db: Db, gameId: string) {
  const builds = await db
    .selectFrom("sessions")
    .select((eb) => ["build", eb.fn.countAll<number>().as("sessions")])
    .where("game_id", "=", gameId)
    .groupBy("build")
    .execute();
  const { devices, others } = await db
    .selectFrom("sessions")
    .select((eb) => [
      eb.fn.count<number>("device_id").distinct().as("devices"),
      eb.fn.countAll<number>().filterWhere("device_id", "is", null).as("others"),
    ])
    .where("game_id", "=", gameId)
    .executeTakeFirstOrThrow();
  return {
    sessionCount: builds.reduce((sum, { sessions }) => sum + Number(sessions), 0),
    buildCount: builds.filter(({ build }) => build !== UNKNOWN_BUILD).length,
    testerCount: Number(devices) + Number(others),
  };
}

/** Replaces the settings of a game that SDKs read. */
export async function storeSdkSettings(db: Db, gameId: string, settings: SdkSettings): Promise<void> {
  await updateRows(db, "games", { id: gameId }, { sdk_settings: JSON.stringify(settings) });
}

/** Reads the settings of a game. Settings that were never changed have their defaults. */
export function readSdkSettings({ sdk_settings }: Pick<GameRow, "sdk_settings">): SdkSettings {
  const changed = sdk_settings === null ? {} : (JSON.parse(sdk_settings) as Partial<SdkSettings>);
  return { ...defaultSdkSettings, ...changed };
}

/** Counts kept beside sessions and insights: what totals are answered from without reading what they count. */
import type { Db, InsightRow, SessionRow } from "../db/schema.ts";

/** What of a session decides where it is counted. */
export type Counted = Pick<
  SessionRow,
  "game_id" | "account_id" | "build" | "environment" | "status" | "source"
>;

/** Counts a session that is new, and its device where the game has not seen it. */
export async function countNewSession(
  db: Db,
  session: Counted & Pick<SessionRow, "device_id">,
): Promise<void> {
  await addToSessions(db, [{ session, sessions: 1 }]);
  const { game_id, device_id } = session;
  if (device_id === null) return;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("game_devices")
    .values({ game_id, device_id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (!numInsertedOrUpdatedRows) return;
  await db
    .insertInto("game_counts")
    .values({ game_id, devices: 1 })
    .onConflict((conflict) =>
      conflict.column("game_id").doUpdateSet((eb) => ({
        devices: eb("game_counts.devices", "+", eb.ref("excluded.devices")),
      })),
    )
    .execute();
}

/** What of a session that is there may change: the place of its count with it. */
const changeable = ["status", "source", "build", "environment"] as const;

/** Moves a session from where it was counted to where it is counted now. */
export async function countChange(db: Db, before: Counted, changed: Partial<SessionRow>): Promise<void> {
  if (changeable.every((column) => (changed[column] ?? before[column]) === before[column])) return;
  await addToSessions(db, [
    { session: before, sessions: -1 },
    { session: { ...before, ...changed }, sessions: 1 },
  ]);
}

async function addToSessions(
  db: Db,
  changes: readonly { readonly session: Counted; readonly sessions: number }[],
): Promise<void> {
  await db
    .insertInto("session_counts")
    .values(
      changes.map(({ session: { game_id, build, environment, status, source }, sessions }) => ({
        game_id,
        build,
        environment,
        status,
        source,
        sessions,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["game_id", "build", "environment", "status", "source"]).doUpdateSet((eb) => ({
        sessions: eb("session_counts.sessions", "+", eb.ref("excluded.sessions")),
      })),
    )
    .execute();
  await db
    .insertInto("account_session_counts")
    .values(
      changes.map(({ session: { account_id, environment, status, source }, sessions }) => ({
        account_id,
        environment,
        status,
        source,
        sessions,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["account_id", "environment", "status", "source"]).doUpdateSet((eb) => ({
        sessions: eb("account_session_counts.sessions", "+", eb.ref("excluded.sessions")),
      })),
    )
    .execute();
}

type CountedInsight = Pick<InsightRow, "game_id" | "account_id" | "build" | "type" | "sentiment">;

/** Adds insights to the counts, or with -1 takes them away. */
export async function countInsightRows(db: Db, rows: readonly CountedInsight[], by: 1 | -1): Promise<void> {
  if (rows.length === 0) return;
  const ofGame = new Map<string, CountedInsight & { insights: number }>();
  for (const row of rows) {
    const { game_id, account_id, build, type, sentiment } = row;
    const key = JSON.stringify([game_id, build, type, sentiment]);
    const known = ofGame.get(key) ?? { game_id, account_id, build, type, sentiment, insights: 0 };
    known.insights += by;
    ofGame.set(key, known);
  }
  const sums = [...ofGame.values()];
  await db
    .insertInto("insight_counts")
    .values(sums.map(({ account_id: _account, ...sum }) => sum))
    .onConflict((conflict) =>
      conflict.columns(["game_id", "build", "type", "sentiment"]).doUpdateSet((eb) => ({
        insights: eb("insight_counts.insights", "+", eb.ref("excluded.insights")),
      })),
    )
    .execute();
  for (const { account_id, type, sentiment, insights } of sums) {
    await db
      .insertInto("account_insight_counts")
      .values({ account_id, type, sentiment, insights })
      .onConflict((conflict) =>
        conflict.columns(["account_id", "type", "sentiment"]).doUpdateSet((eb) => ({
          insights: eb("account_insight_counts.insights", "+", eb.ref("excluded.insights")),
        })),
      )
      .execute();
  }
}

/** Values that a sum is narrowed by; undefined ones do not narrow. */
type Narrow = Readonly<Record<string, string | undefined>>;

const given = (narrow: Narrow) => Object.entries(narrow).filter(([, value]) => value !== undefined);

/** A game, or all of an account's. */
export type Games = { readonly gameId: string } | { readonly accountId: string };

const idsOf = (db: Db, games: Games) =>
  "gameId" in games
    ? [games.gameId]
    : db.selectFrom("games").select("id").where("account_id", "=", games.accountId);

/** How many sessions the games have, by their builds, environments, statuses and sources. */
export async function sumOfGameSessions(db: Db, games: Games, narrow: Narrow): Promise<number> {
  const row = await db
    .selectFrom("session_counts")
    .select((eb) => eb.fn.sum<number | null>("sessions").as("total"))
    .where("game_id", "in", idsOf(db, games))
    .where((eb) => eb.and(given(narrow).map(([column, value]) => eb(column as "build", "=", value ?? ""))))
    .executeTakeFirstOrThrow();
  return Number(row.total ?? 0);
}

/** How many sessions an account has, by environments, statuses and sources. */
export async function sumOfAccountSessions(db: Db, accountId: string, narrow: Narrow): Promise<number> {
  const row = await db
    .selectFrom("account_session_counts")
    .select((eb) => eb.fn.sum<number | null>("sessions").as("total"))
    .where("account_id", "=", accountId)
    .where((eb) =>
      eb.and(given(narrow).map(([column, value]) => eb(column as "source", "=", value as never))),
    )
    .executeTakeFirstOrThrow();
  return Number(row.total ?? 0);
}

/** How many insights the games have, by builds, types and sentiments. */
export async function sumOfGameInsights(db: Db, games: Games, narrow: Narrow): Promise<number> {
  const row = await db
    .selectFrom("insight_counts")
    .select((eb) => eb.fn.sum<number | null>("insights").as("total"))
    .where("game_id", "in", idsOf(db, games))
    .where((eb) => eb.and(given(narrow).map(([column, value]) => eb(column as "build", "=", value ?? ""))))
    .executeTakeFirstOrThrow();
  return Number(row.total ?? 0);
}

/** How many insights an account has, by types and sentiments. */
export async function sumOfAccountInsights(db: Db, accountId: string, narrow: Narrow): Promise<number> {
  const row = await db
    .selectFrom("account_insight_counts")
    .select((eb) => eb.fn.sum<number | null>("insights").as("total"))
    .where("account_id", "=", accountId)
    .where((eb) => eb.and(given(narrow).map(([column, value]) => eb(column as "type", "=", value as never))))
    .executeTakeFirstOrThrow();
  return Number(row.total ?? 0);
}

/** How much play a game has. */
export async function countPlay(db: Db, gameId: string) {
  const sessions = await db
    .selectFrom("session_counts")
    .select((eb) => [
      eb.fn.sum<number | null>("sessions").as("sessions"),
      eb.fn.count<number>("build").distinct().as("builds"),
    ])
    .where("game_id", "=", gameId)
    .executeTakeFirstOrThrow();
  const game = await db
    .selectFrom("game_counts")
    .select("devices")
    .where("game_id", "=", gameId)
    .executeTakeFirst();
  return {
    sessionCount: Number(sessions.sessions ?? 0),
    buildCount: Number(sessions.builds),
    testerCount: Number(game?.devices ?? 0),
  };
}

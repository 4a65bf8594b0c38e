/** Reads and writes the insights of sessions. */
import { sql } from "kysely";
import type { Claim } from "../../contract/claims.ts";
import {
  frictionTypes,
  type Insight,
  type InsightType,
  type InsightWithClaims,
} from "../../contract/insights.ts";
import { findTagRoom, toTagRoom } from "../../shared/tag-subjects.ts";
import { isInGames, searchGames } from "../db/account-games.ts";
import { prepareQuery, prepareRowsQuery, runInParts } from "../db/prepared.ts";
import { hasRows } from "../db/rows.ts";
import type { Db, InsightRow, SessionRow } from "../db/schema.ts";

/** The claims of one insight of a session; undefined if the session has no such insight. */
export async function findInsightClaims(
  db: Db,
  { game_id, id }: Pick<SessionRow, "game_id" | "id">,
  insightId: string,
): Promise<Claim[] | undefined> {
  const row = await db
    .selectFrom("insights")
    .select("claims")
    .where((eb) => eb.and({ game_id, session_id: id, id: insightId }))
    .executeTakeFirst();
  return row && (JSON.parse(row.claims) as Claim[]);
}

/** An insight of an account by its id. */
export async function findInsight(db: Db, accountId: string, id: string): Promise<InsightRow | undefined> {
  return await searchGames(db, accountId, (games) =>
    db
      .selectFrom("insights")
      .selectAll()
      .where("game_id", "in", (eb) => eb.selectFrom("games").select("id").where("account_id", "=", accountId))
      .where(isInGames(games))
      .where("id", "=", id)
      .executeTakeFirst(),
  );
}

/** Every insight of a session with its evidence and claims, newest first. */
export async function findSessionInsights(
  db: Db,
  gameId: string,
  sessionId: string,
): Promise<InsightWithClaims[]> {
  const rows = await findInsightRows(db, gameId, sessionId);
  return rows.map((row) => toInsightWithClaims(row));
}

export const toInsightWithClaims = (row: InsightRow): InsightWithClaims => ({
  ...toInsight(row),
  activeSec: row.after_ms === null ? null : row.after_ms / 1000,
  claims: parseClaims(row),
});

export const parseClaims = ({ claims }: Pick<InsightRow, "claims">) => JSON.parse(claims) as Claim[];

/** An insight with its evidence. */
export function toInsight(row: InsightRow): Insight {
  return { ...toInsightFields(row), evidence: row.evidence };
}

/** The stored insights of a session, newest first. */
export async function findInsightRows(db: Db, gameId: string, sessionId: string): Promise<InsightRow[]> {
  return (await sessionInsightsQuery(db, { gameId, sessionId })).rows;
}

interface SessionKey {
  readonly gameId: string;
  readonly sessionId: string;
}

const sessionInsightsQuery = prepareQuery((db, { gameId, sessionId }: SessionKey) =>
  db
    .selectFrom("insights")
    .selectAll()
    .where((eb) => eb.and({ game_id: gameId, session_id: sessionId }))
    // SQLite would otherwise read all insights of the game in the order of their index by time.
    .orderBy(sql`+created_at`, "desc")
    .orderBy("id"),
);

function toInsightFields(row: InsightRow): Omit<Insight, "evidence"> {
  const { id, session_id, type, sentiment, confidence, created_at, tag, title } = row;
  return { id, sessionId: session_id, type, sentiment, confidence, createdAt: created_at, tag, title };
}

export async function replaceInsights(
  db: Db,
  gameId: string,
  sessionId: string,
  rows: readonly InsightRow[],
): Promise<void> {
  await deleteInsightsQuery(db, { gameId, sessionId });
  await insertInsights(db, rows);
}

const deleteInsightsQuery = prepareQuery((db, { gameId, sessionId }: SessionKey) =>
  db.deleteFrom("insights").where("game_id", "=", gameId).where("session_id", "=", sessionId),
);

export async function insertInsights(db: Db, rows: readonly InsightRow[]): Promise<void> {
  await runInParts(db, insertInsightsQuery, rows);
}

const insertInsightsQuery = prepareRowsQuery((db, rows: readonly InsightRow[]) =>
  db.insertInto("insights").values(rows),
);

type TaggedRow = Pick<InsightRow, "game_id" | "session_id" | "tag">;

/** The name of the room of each insight, from the rooms that its session entered. Insights about no room are absent. */
export async function findInsightRooms<Row extends TaggedRow>(
  db: Db,
  rows: readonly Row[],
): Promise<ReadonlyMap<Row, string>> {
  if (rows.length === 0) return new Map();
  const entered = await db
    .selectFrom("room_times")
    .select(["game_id", "session_id", "room"])
    .where("game_id", "in", [...new Set(rows.map(({ game_id }) => game_id))])
    .where("session_id", "in", [...new Set(rows.map(({ session_id }) => session_id))])
    .orderBy("room", "desc")
    .execute();
  const bySession = new Map<string, Map<string, string>>();
  for (const { game_id, session_id, room } of entered) {
    const key = `${game_id}/${session_id}`;
    const names = bySession.get(key) ?? new Map<string, string>();
    bySession.set(key, names.set(toTagRoom(room), room));
  }
  const rooms = new Map<Row, string>();
  for (const row of rows) {
    const names = bySession.get(`${row.game_id}/${row.session_id}`) ?? new Map<string, string>();
    const location = findTagRoom(row.tag, new Set(names.keys()));
    const room = location === null ? undefined : names.get(location);
    if (room !== undefined) rooms.set(row, room);
  }
  return rooms;
}

/** The maximum number of tags to suggest from. */
const MAX_TAGS = 2000;

export async function deviceExists(db: Db, gameIds: readonly string[], device: string): Promise<boolean> {
  return await hasRows(
    db
      .selectFrom("sessions")
      .select("id")
      .where("game_id", "in", [...gameIds])
      .where("device_id", "=", device),
  );
}

export async function tagExists(db: Db, gameIds: readonly string[], tag: string): Promise<boolean> {
  return await hasRows(
    db
      .selectFrom("insights")
      .select("id")
      .where("game_id", "in", [...gameIds])
      .where("tag", "=", tag),
  );
}

/** The tags of insights, in alphabetical order. */
export async function findTags(db: Db, gameIds: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom("insights")
    .select("tag")
    .distinct()
    .where("game_id", "in", [...gameIds])
    .orderBy("tag")
    .limit(MAX_TAGS)
    .execute();
  return new Set(rows.map(({ tag }) => tag));
}

export async function findGameIds(db: Db, accountId: string): Promise<string[]> {
  const rows = await db.selectFrom("games").select("id").where("account_id", "=", accountId).execute();
  return rows.map(({ id }) => id);
}

/** One insight as evidence. */
export interface EvidenceRow {
  readonly id: string;
  readonly tag: string;
  readonly type: InsightType;
  readonly title: string;
  readonly evidence: string;
  readonly confidence: number;
}

/** The strongest friction insights of a tag in a build and environment (`all`: all of them), at most `limit`. */
export async function findStrongestEvidence(
  db: Db,
  where: { gameId: string; build: string; environment: string; tag: string },
  limit: number,
): Promise<EvidenceRow[]> {
  return await db
    .selectFrom("insights")
    .select(["id", "tag", "type", "title", "evidence", "confidence"])
    .where((eb) => eb.and({ game_id: where.gameId, build: where.build }))
    .$if(where.environment !== "all", (query) => query.where("environment", "=", where.environment))
    .where("type", "in", [...frictionTypes])
    .where("tag", "=", where.tag)
    .orderBy("confidence", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
}

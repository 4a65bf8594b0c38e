/** Reads and writes the insights of sessions. */
import type { Claim } from "../../contract/claims.ts";
import type { Insight, InsightWithClaims } from "../../contract/insights.ts";
import { isInGames, searchGames } from "../db/account-games.ts";
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
    .where("game_id", "=", game_id)
    .where("session_id", "=", id)
    .where("id", "=", insightId)
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
  return rows.map((row) => ({ ...toInsight(row), claims: parseClaims(row) }));
}

export const parseClaims = ({ claims }: Pick<InsightRow, "claims">) => JSON.parse(claims) as Claim[];

/** An insight with its evidence. */
export function toInsight(row: InsightRow): Insight {
  return { ...toInsightFields(row), evidence: row.evidence };
}

/** The stored insights of a session, newest first. */
export async function findInsightRows(db: Db, gameId: string, sessionId: string): Promise<InsightRow[]> {
  return await db
    .selectFrom("insights")
    .selectAll()
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
}

function toInsightFields(row: InsightRow): Omit<Insight, "evidence"> {
  const { id, session_id, type, sentiment, confidence, created_at, tag, title } = row;
  return { id, sessionId: session_id, type, sentiment, confidence, createdAt: created_at, tag, title };
}

/** Replaces the insights of a session. */
export async function replaceInsights(
  db: Db,
  gameId: string,
  sessionId: string,
  rows: readonly InsightRow[],
): Promise<void> {
  await db.deleteFrom("insights").where("game_id", "=", gameId).where("session_id", "=", sessionId).execute();
  await insertInsights(db, rows);
}

/** Stores new insights. */
export async function insertInsights(db: Db, rows: readonly InsightRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db.insertInto("insights").values(rows).execute();
}

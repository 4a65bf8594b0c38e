/** Reads and writes insights. */
import type { ExpressionBuilder } from "kysely";
import type { Insight, InsightItem } from "../../contract/insights.ts";
import type { Db, InsightRow, Schema } from "../db/schema.ts";
import { countInRange } from "../db/totals.ts";
import { updateInsightCounters } from "./count-queries.ts";

/** What a list of insights is narrowed by; absent fields do not narrow. */
export interface InsightFilter {
  readonly accountId: string;
  readonly gameId?: string | undefined;
  readonly build?: string | undefined;
  readonly type?: string | undefined;
  readonly sentiment?: string | undefined;
  /** Bounds on createdAt, inclusive, unix ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

function buildInsightFilter(filter: InsightFilter) {
  return (eb: ExpressionBuilder<Schema, "insights">) => {
    const equal = {
      // A game that was looked up is the account's: naming both would only leave the index to chance.
      account_id: filter.gameId === undefined ? filter.accountId : undefined,
      game_id: filter.gameId,
      build: filter.build,
      type: filter.type,
      sentiment: filter.sentiment,
    };
    const parts = Object.entries(equal).flatMap(([column, value]) =>
      value === undefined ? [] : [eb(column as "account_id", "=", value)],
    );
    if (filter.from !== undefined) parts.push(eb("created_at", ">=", filter.from));
    if (filter.to !== undefined) parts.push(eb("created_at", "<=", filter.to));
    return eb.and(parts);
  };
}

/** One page of insights without their evidence, newest first. */
export async function findInsightItems(
  db: Db,
  filter: InsightFilter,
  page: { limit: number; offset: number },
): Promise<InsightItem[]> {
  const rows = await db
    .selectFrom("insights")
    .select(["id", "session_id", "type", "sentiment", "confidence", "created_at", "tag", "title"])
    .where(buildInsightFilter(filter))
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map(toInsightItem);
}

/** How many insights match, summed from kept counts. */
export async function countInsights(db: Db, filter: InsightFilter): Promise<number> {
  const { accountId, gameId, build, type, sentiment, from, to } = filter;
  const narrow = { accountId, gameId, equal: { build, type, sentiment } };
  return await countInRange(db, "insight", narrow, { from, to }, async (part) => {
    const row = await db
      .selectFrom("insights")
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .where(buildInsightFilter({ ...filter, ...part }))
      .executeTakeFirstOrThrow();
    return Number(row.total);
  });
}

/** Every insight of a session with its evidence, newest first. */
export async function findSessionInsights(db: Db, gameId: string, sessionId: string): Promise<Insight[]> {
  const rows = await db
    .selectFrom("insights")
    .selectAll()
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...toInsightItem(row), evidence: row.evidence }));
}

function toInsightItem(row: InsightItemRow): InsightItem {
  const { id, session_id, type, sentiment, confidence, created_at, tag, title } = row;
  return { id, sessionId: session_id, type, sentiment, confidence, createdAt: created_at, tag, title };
}

type InsightItemRow = Pick<
  InsightRow,
  "id" | "session_id" | "type" | "sentiment" | "confidence" | "created_at" | "tag" | "title"
>;

/** Replaces a session's insights by newer ones. */
export async function replaceInsights(
  db: Db,
  gameId: string,
  sessionId: string,
  rows: readonly InsightRow[],
): Promise<void> {
  const gone = await db
    .selectFrom("insights")
    .select(["game_id", "account_id", "build", "type", "sentiment", "created_at"])
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .execute();
  if (gone.length > 0) {
    await db
      .deleteFrom("insights")
      .where("game_id", "=", gameId)
      .where("session_id", "=", sessionId)
      .execute();
    await updateInsightCounters(db, gone, -1);
  }
  await insertInsights(db, rows);
}

/** Stores new insights and counts them. */
export async function insertInsights(db: Db, rows: readonly InsightRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db.insertInto("insights").values(rows).execute();
  await updateInsightCounters(db, rows, 1);
}

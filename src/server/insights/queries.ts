/** Reads and writes insights. */
import type { ExpressionBuilder } from "kysely";
import type { Claim } from "../../contract/claims.ts";
import type { Insight, InsightItem, InsightWithClaims } from "../../contract/insights.ts";
import type { Db, InsightRow, Schema, SessionRow } from "../db/schema.ts";
import { countInRange } from "../db/totals.ts";
import type { TesterSessionFilter } from "../ids/tester-queries.ts";
import { updateInsightCounters } from "./count-queries.ts";

/** Filters for a list of insights. Absent fields do not filter. */
export interface InsightFilter {
  readonly accountId: string;
  readonly gameId?: string | undefined;
  readonly build?: string | undefined;
  /** `all` matches every environment. */
  readonly env?: string | undefined;
  readonly tag?: string | undefined;
  readonly tester?: TesterSessionFilter | undefined;
  readonly type?: string | undefined;
  readonly sentiment?: string | undefined;
  /** Bounds on createdAt, inclusive, unix ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The required values of the columns that do not depend on the account or game. */
function toEqualColumns({ build, env, tag, tester, type, sentiment }: InsightFilter) {
  const environment = env === "all" ? undefined : env;
  const byHandle = tester?.column === "tester_handle";
  return { build, environment, tag, tester: byHandle ? undefined : tester?.value, type, sentiment };
}

function buildInsightFilter(filter: InsightFilter) {
  return (eb: ExpressionBuilder<Schema, "insights">) => {
    const equal = {
      // A game id implies the account. Filtering by both could make the database choose the wrong index.
      account_id: filter.gameId === undefined ? filter.accountId : undefined,
      game_id: filter.gameId,
      ...toEqualColumns(filter),
    };
    const conditions = Object.entries(equal).flatMap(([column, value]) =>
      value === undefined ? [] : [eb(column as "account_id", "=", value)],
    );
    if (filter.from !== undefined) conditions.push(eb("created_at", ">=", filter.from));
    if (filter.to !== undefined) conditions.push(eb("created_at", "<=", filter.to));
    const { tester, gameId = "" } = filter;
    if (tester?.column === "tester_handle") conditions.push(isInSessionsWithHandle(eb, gameId, tester.value));
    return eb.and(conditions);
  };
}

/** Sessions that name a handle may have any device or none. Handles are names in one game. */
function isInSessionsWithHandle(eb: ExpressionBuilder<Schema, "insights">, gameId: string, handle: string) {
  const sessions = eb
    .selectFrom("sessions")
    .select("sessions.id")
    .where("sessions.game_id", "=", gameId)
    .where("sessions.tester_handle", "=", handle);
  return eb("insights.session_id", "in", sessions);
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

/** The number of matching insights, from the stored counters. */
export async function countInsights(db: Db, filter: InsightFilter): Promise<number> {
  const { accountId, gameId, from, to, tester } = filter;
  // No counter has the column, so the rows are counted.
  const handle = tester?.column === "tester_handle" ? { tester_handle: tester.value } : {};
  const scope = { accountId, gameId, equal: { ...toEqualColumns(filter), ...handle } };
  return await countInRange(db, "insight", scope, { from, to }, async (range) => {
    const row = await db
      .selectFrom("insights")
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .where(buildInsightFilter({ ...filter, ...range }))
      .executeTakeFirstOrThrow();
    return Number(row.total);
  });
}

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
  return await db
    .selectFrom("insights")
    .selectAll()
    .where("game_id", "in", (eb) => eb.selectFrom("games").select("id").where("account_id", "=", accountId))
    .where("id", "=", id)
    .executeTakeFirst();
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
  return { ...toInsightItem(row), evidence: row.evidence };
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

function toInsightItem(row: InsightItemRow): InsightItem {
  const { id, session_id, type, sentiment, confidence, created_at, tag, title } = row;
  return { id, sessionId: session_id, type, sentiment, confidence, createdAt: created_at, tag, title };
}

type InsightItemRow = Pick<
  InsightRow,
  "id" | "session_id" | "type" | "sentiment" | "confidence" | "created_at" | "tag" | "title"
>;

/** Replaces the insights of a session. */
export async function replaceInsights(
  db: Db,
  gameId: string,
  sessionId: string,
  rows: readonly InsightRow[],
): Promise<void> {
  const previous = await db
    .selectFrom("insights")
    .select(["game_id", "account_id", "build", "type", "sentiment", "created_at"])
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .execute();
  if (previous.length > 0) {
    await db
      .deleteFrom("insights")
      .where("game_id", "=", gameId)
      .where("session_id", "=", sessionId)
      .execute();
    await updateInsightCounters(db, previous, -1);
  }
  await insertInsights(db, rows);
}

/** Stores new insights and updates the counters. */
export async function insertInsights(db: Db, rows: readonly InsightRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db.insertInto("insights").values(rows).execute();
  await updateInsightCounters(db, rows, 1);
}

/** Reads and writes bug reports. */
import type { ExpressionBuilder } from "kysely";
import type { BugReport } from "../../contract/bug-reports.ts";
import type { BugReportRow, Db, Schema } from "../db/schema.ts";

/** Selects bug reports of a game. Absent fields match all of them. */
export interface BugReportFilter {
  readonly gameId: string;
  readonly build?: string | undefined;
  /** `all` matches every environment. */
  readonly env?: string | undefined;
  readonly severity?: string | undefined;
  /** Bounds on createdAt, inclusive, unix ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

function buildFilter({ gameId, build, env, severity, from, to }: BugReportFilter) {
  return (eb: ExpressionBuilder<Schema, "bug_reports">) => {
    const conditions = [eb("game_id", "=", gameId)];
    if (build !== undefined) conditions.push(eb("build", "=", build));
    if (env !== undefined && env !== "all") conditions.push(eb("environment", "=", env));
    if (severity !== undefined) conditions.push(eb("severity", "=", severity));
    if (from !== undefined) conditions.push(eb("created_at", ">=", from));
    if (to !== undefined) conditions.push(eb("created_at", "<=", to));
    return eb.and(conditions);
  };
}

/** One page of bug reports, newest first, and the number of all. */
export async function findBugReports(
  db: Db,
  filter: BugReportFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: BugReport[]; total: number }> {
  const rows = await db
    .selectFrom("bug_reports")
    .selectAll()
    .where(buildFilter(filter))
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await db
    .selectFrom("bug_reports")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where(buildFilter(filter))
    .executeTakeFirstOrThrow();
  return { items: rows.map(toBugReport), total: Number(total) };
}

function toBugReport(row: BugReportRow): BugReport {
  return {
    id: row.id,
    sessionId: row.session_id,
    title: row.title,
    description: row.description,
    severity: row.severity,
    playerId: row.player_id,
    build: row.build,
    environment: row.environment,
    platform: row.platform,
    device: JSON.parse(row.device) as Record<string, unknown>,
    createdAt: row.created_at,
  };
}

/** A bug report by its id. */
export async function findBugReportById(db: Db, gameId: string, id: string): Promise<BugReport | undefined> {
  const row = await db
    .selectFrom("bug_reports")
    .selectAll()
    .where("game_id", "=", gameId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toBugReport(row);
}

/** The bug reports of a session, oldest first. */
export async function findSessionBugReports(
  db: Db,
  gameId: string,
  sessionId: string,
): Promise<Pick<BugReportRow, "id" | "title" | "severity">[]> {
  return await db
    .selectFrom("bug_reports")
    .select(["id", "title", "severity"])
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** Finds the bug report of an idempotency key. */
export async function findBugReport(
  db: Db,
  gameId: string,
  idempotencyKey: string,
): Promise<BugReportRow | undefined> {
  return await db
    .selectFrom("bug_reports")
    .selectAll()
    .where("game_id", "=", gameId)
    .where("idempotency_key", "=", idempotencyKey)
    .executeTakeFirst();
}

/** Stores a bug report. Returns false if one with the same idempotency key exists. */
export async function insertBugReport(db: Db, row: BugReportRow): Promise<boolean> {
  const result = await db
    .insertInto("bug_reports")
    .values(row)
    .onConflict((conflict) => conflict.columns(["game_id", "idempotency_key"]).doNothing())
    .executeTakeFirstOrThrow();
  return result.numInsertedOrUpdatedRows === 1n;
}

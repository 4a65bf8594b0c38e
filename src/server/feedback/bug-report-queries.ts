/** Reads and writes bug reports. */
import { sql } from "kysely";
import type { BugReport } from "../../contract/bug-reports.ts";
import { defineStoredList } from "../db/list-queries.ts";
import { prepareQuery } from "../db/prepared.ts";
import type { BugReportRow, Db } from "../db/schema.ts";

export const storedBugReports = defineStoredList((db: Db) => db.selectFrom("bug_reports"), {
  select: [
    ...(["id", "session_id", "title", "description", "severity", "player_id"] as const),
    ...(["build", "environment", "platform", "device", "created_at"] as const),
  ],
  game: "game_id",
  filters: { build: "build", env: "environment", severity: "severity" },
  time: "created_at",
  id: "id",
  toItem: (row): BugReport => ({
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
  }),
});

/** The bug reports of a session, oldest first. */
export async function findSessionBugReports(
  db: Db,
  gameId: string,
  sessionId: string,
): Promise<Pick<BugReportRow, "id" | "title" | "severity">[]> {
  return (await sessionReportsQuery(db, { gameId, sessionId })).rows;
}

const sessionReportsQuery = prepareQuery((db, { gameId, sessionId }: { gameId: string; sessionId: string }) =>
  db
    .selectFrom("bug_reports")
    .select(["id", "title", "severity"])
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    // SQLite would otherwise read all reports of the game in the order of their index by time.
    .orderBy(sql`+created_at`)
    .orderBy("id"),
);

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

/** Reads and writes bug reports. */
import { sql } from "kysely";
import type { BugReport } from "../../contract/bug-reports.ts";
import { defineStoredList } from "../db/list-queries.ts";
import { prepareQuery } from "../db/prepared.ts";
import { insertNew } from "../db/rows.ts";
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
export async function findSessionBugReports(db: Db, gameId: string, sessionId: string) {
  return (await sessionReportsQuery(db, { gameId, sessionId })).rows;
}

const sessionReportsQuery = prepareQuery((db, { gameId, sessionId }: { gameId: string; sessionId: string }) =>
  db
    .selectFrom("bug_reports")
    .select(["id", "title", "severity"])
    .where((eb) => eb.and({ game_id: gameId, session_id: sessionId }))
    // SQLite would otherwise read all reports of the game in the order of their index by time.
    .orderBy(sql`+created_at`)
    .orderBy("id"),
);

/** Stores a bug report. Returns false if one with the same idempotency key exists. */
export const insertBugReport = (db: Db, row: BugReportRow): Promise<boolean> =>
  insertNew(db, "bug_reports", row, ["game_id", "idempotency_key"]);

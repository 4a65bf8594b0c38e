/**
 * Versions of analyses, requests to repeat them, the claims of insights, crashes that were reported at the next start, and
 * the builds whose room times others are compared with.
 */
import { type Kysely, sql } from "kysely";

interface AnalysisTables {
  sessions: { game_id: string; id: string; analysis_version: number | null };
  insights: { game_id: string; session_id: string };
  room_times: { build: string; environment: string };
}

export async function up(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<AnalysisTables>;
  await addVersions(db);
  await db.schema
    .alterTable("insights")
    .addColumn("claims", "text", (c) => c.notNull().defaultTo("[]"))
    .execute();
  await addRoomReferences(db);
  await addCrashReports(db);
}

async function addVersions(db: Kysely<AnalysisTables>): Promise<void> {
  await db.schema.alterTable("sessions").addColumn("analysis_version", "integer").execute();
  await db.schema.alterTable("sessions").addColumn("reanalysis_due", "bigint").execute();
  // Every analysis has stored at least one insight.
  await db
    .updateTable("sessions")
    .set({ analysis_version: 1 })
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("insights")
          .select(sql.lit(1).as("one"))
          .whereRef("insights.game_id", "=", "sessions.game_id")
          .whereRef("insights.session_id", "=", "sessions.id"),
      ),
    )
    .execute();
  await db.schema
    .createIndex("sessions_by_analysis_version")
    .on("sessions")
    .columns(["analysis_version desc", "recorded_at desc", "id"])
    .execute();
  await db.schema
    .createIndex("sessions_by_reanalysis_due")
    .on("sessions")
    .columns(["reanalysis_due"])
    .execute();
}

async function addRoomReferences(db: Kysely<AnalysisTables>): Promise<void> {
  for (const column of ["build", "environment"] as const) {
    await db.schema
      .alterTable("room_times")
      .addColumn(column, "text", (c) => c.notNull().defaultTo(""))
      .execute();
    await db
      .updateTable("room_times")
      .set({
        [column]: sql<string>`coalesce((
          select ${sql.ref(`sessions.${column}`)} from sessions
          where sessions.game_id = room_times.game_id and sessions.id = room_times.session_id
        ), '')`,
      })
      .execute();
  }
  // The longest stretch is unknown until the session is analyzed again.
  await db.schema
    .alterTable("room_times")
    .addColumn("longest_ms", "bigint", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.dropIndex("room_times_by_room").execute();
  await db.schema
    .createIndex("room_times_by_room")
    .on("room_times")
    .columns(["game_id", "environment", "room", "build", "recorded_at", "session_id", "ms"])
    .execute();
  await db.schema
    .createTable("room_references")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("environment", "text", (c) => c.notNull())
    .addColumn("room", "text", (c) => c.notNull())
    .addColumn("build", "text")
    .addColumn("first_at", "bigint")
    .addColumn("digest", "text")
    .addColumn("requeue_after", "text")
    .addPrimaryKeyConstraint("room_references_key", ["game_id", "environment", "room"])
    .execute();
  await db.schema
    .createIndex("room_references_to_requeue")
    .on("room_references")
    .columns(["requeue_after"])
    .execute();
}

async function addCrashReports(db: Kysely<AnalysisTables>): Promise<void> {
  await db.schema
    .createTable("crash_reports")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("event_id", "text", (c) => c.notNull())
    .addColumn("reported_at", "bigint", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("data", "text", (c) => c.notNull())
    .addColumn("device_id", "text", (c) => c.notNull())
    .addColumn("crashed_ref", "text", (c) => c.notNull())
    .addColumn("crashed_session_id", "text")
    .addPrimaryKeyConstraint("crash_reports_key", ["game_id", "session_id", "event_id"])
    .execute();
  const indexes: [string, string[]][] = [
    ["crash_reports_by_crashed_session", ["game_id", "crashed_session_id"]],
    ["crash_reports_by_ref", ["game_id", "device_id", "crashed_ref"]],
  ];
  for (const [name, columns] of indexes) {
    await db.schema.createIndex(name).on("crash_reports").columns(columns).execute();
  }
}

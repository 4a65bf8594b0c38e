/** SQL for crash reports: the sessions that they name, and the stored reports. */
import { sql } from "kysely";
import { prepareQuery } from "../db/prepared.ts";
import { deleteRows, updateRows } from "../db/rows.ts";
import type { CrashReportRow, Db, SessionRow } from "../db/schema.ts";

/** The columns of a session that crash reports depend on. */
export type ReportingSession = Pick<
  SessionRow,
  "game_id" | "id" | "client_session_id" | "device_id" | "first_at"
>;

/**
 * The ids of a device's sessions with events before `before` in unix ms, by the reference that names them. The times are
 * those of the device's clock. An id takes precedence over a client session id.
 */
export async function findDeviceSessions(
  db: Db,
  { game_id, device_id, before }: { game_id: string; device_id: string; before: number },
  refs: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (refs.length === 0) return found;
  for (const column of ["client_session_id", "id"] as const) {
    const rows = await db
      .selectFrom("sessions")
      .select(["id", "client_session_id"])
      .where("game_id", "=", game_id)
      .where(column, "in", [...new Set(refs)])
      .where("device_id", "=", device_id)
      .where("first_at", "<", before)
      .execute();
    for (const row of rows) found.set(row[column] ?? row.id, row.id);
  }
  return found;
}

/** The reports of a session's crash, the earliest first, at most `limit`. */
export async function findReportsOfCrash(db: Db, { game_id, id }: SessionKey, limit: number) {
  return (await reportsOfCrashQuery(db, { game_id, id, limit })).rows;
}

type SessionKey = Pick<SessionRow, "game_id" | "id">;

const reportsOfCrashQuery = prepareQuery((db, { game_id, id, limit }: SessionKey & { limit: number }) =>
  db
    .selectFrom("crash_reports")
    .selectAll()
    .where((eb) => eb.and({ game_id, crashed_session_id: id }))
    .orderBy("reported_at")
    .orderBy("session_id")
    .orderBy("event_id")
    .limit(limit),
);

/** The stored reports that a session contains. */
export async function findStoredReports(db: Db, { game_id, id }: SessionKey): Promise<CrashReportRow[]> {
  return (await storedReportsQuery(db, { game_id, id })).rows;
}

const storedReportsQuery = prepareQuery((db, { game_id, id }: SessionKey) =>
  db.selectFrom("crash_reports").selectAll().where("game_id", "=", game_id).where("session_id", "=", id),
);

/** Replaces the reports that a session contains. */
export async function replaceStoredReports(
  db: Db,
  { game_id, id }: SessionKey,
  reports: readonly CrashReportRow[],
): Promise<void> {
  await deleteRows(db, "crash_reports", { game_id, session_id: id });
  if (reports.length > 0) await db.insertInto("crash_reports").values(reports).execute();
}

/** Unlinks the stored reports of a session's crash from that session. Returns the sessions that contain them. */
export async function unlinkCrashReports(
  db: Db,
  { game_id, id }: Pick<SessionRow, "game_id" | "id">,
): Promise<string[]> {
  const linked = await db
    .selectFrom("crash_reports")
    .select("session_id")
    .distinct()
    .where((eb) => eb.and({ game_id, crashed_session_id: id }))
    .execute();
  await updateRows(db, "crash_reports", { game_id, crashed_session_id: id }, { crashed_session_id: null });
  return linked.map(({ session_id }) => session_id);
}

/**
 * The later sessions that reported a crash of this session before the service had it, by id, at most `limit`. Sessions that
 * did not start later never resolve their report, so two of them would queue each other forever.
 */
export async function findUnresolvedReporters(
  db: Db,
  { game_id, id, client_session_id, device_id, first_at }: ReportingSession,
  limit: number,
): Promise<string[]> {
  if (device_id === null || first_at === null) return [];
  const clientId = client_session_id ?? undefined;
  const { rows } = await unresolvedReportersQuery(db, { game_id, id, clientId, device_id, first_at, limit });
  return rows.map(({ session_id }) => session_id);
}

interface ReportersQuery extends SessionKey {
  readonly clientId: string | undefined;
  readonly device_id: string;
  readonly first_at: number;
  readonly limit: number;
}

const unresolvedReportersQuery = prepareQuery(
  (db, { game_id, id, clientId, device_id, first_at, limit }: ReportersQuery) =>
    db
      .selectFrom("crash_reports")
      .innerJoin("sessions as reporter", (join) =>
        join
          .onRef("reporter.game_id", "=", "crash_reports.game_id")
          .onRef("reporter.id", "=", "crash_reports.session_id"),
      )
      // SQLite would otherwise read all reports of the game in the order of the column.
      .select((eb) => eb.fn.coalesce("session_id", sql.lit("")).as("session_id"))
      .distinct()
      .where((eb) => eb.and({ "crash_reports.game_id": game_id, "crash_reports.device_id": device_id }))
      .where("reporter.first_at", ">", first_at)
      .where("crashed_ref", "in", clientId === undefined ? [id] : [id, clientId])
      .where("crashed_session_id", "is", null)
      .orderBy("session_id")
      .limit(limit),
);

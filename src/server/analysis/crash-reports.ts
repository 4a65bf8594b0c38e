/**
 * Crashes that a game reports at its next start. The event names the session that crashed in
 * `data.crashedSessionId`, by our id or by its client session id. If that session belongs to the same game and device, and
 * started earlier, the crash becomes part of its analysis. The event itself stays in the session that contains it.
 */

import { isStorableText } from "../core/stored-data.ts";
import { findChangedRows } from "../db/rows.ts";
import type { CrashReportRow, Db, SessionRow } from "../db/schema.ts";
import {
  findDeviceSessions,
  findReportsOfCrash,
  findStoredReports,
  findUnresolvedReporters,
  type ReportingSession,
  replaceStoredReports,
} from "./crash-report-queries.ts";
import { requestReanalysis } from "./queue-queries.ts";
import type { ReportedCrash, SessionEvent } from "./recorded-session.ts";

/**
 * Maximum number of reports that are read from a session, and that the analysis of a session considers. Games report one crash at
 * each start, so a larger number is a fault or an attack.
 */
export const MAX_CRASH_REPORTS = 50;
/** Client session ids have at most 120 characters, and session ids are shorter. */
const MAX_REF_LENGTH = 120;
/** Maximum number of data fields that are stored with a report, and their length in characters. */
const MAX_FIELDS = 30;
const MAX_FIELD_LENGTH = 1000;

/** How a crash event names the session that crashed; null if it names none, or its own session. */
export function readCrashedRef(
  event: SessionEvent,
  own: Pick<SessionRow, "id" | "client_session_id">,
): string | null {
  const isNamed = event.data !== null && Object.hasOwn(event.data, "crashedSessionId");
  const value = isNamed ? event.data?.crashedSessionId : null;
  if (typeof value !== "string" || value === "") return null;
  return value === own.id || value === own.client_session_id ? null : value;
}

/**
 * Resolves the crash events of a session that report the crash of another one. `reports` are the rows to store, and
 * `sessionsByEvent` the crashed session of each event, or null if the service has no such earlier session.
 */
export async function resolveCrashReports(
  db: Db,
  session: ReportingSession,
  crashes: readonly SessionEvent[],
): Promise<{ reports: CrashReportRow[]; sessionsByEvent: Map<string, string | null> }> {
  const { game_id, id: session_id, device_id, first_at } = session;
  const named = crashes.flatMap((event) => {
    const ref = readCrashedRef(event, session);
    return ref === null ? [] : [{ event, ref }];
  });
  const sessionsByEvent = new Map<string, string | null>(named.map(({ event }) => [event.id, null]));
  if (device_id === null || first_at === null) return { reports: [], sessionsByEvent };
  const kept = named
    .filter(({ ref }) => ref.length <= MAX_REF_LENGTH && isStorableText(ref))
    .slice(0, MAX_CRASH_REPORTS);
  const idsByRef = await findDeviceSessions(
    db,
    { game_id, device_id, before: first_at },
    kept.map(({ ref }) => ref),
  );
  const reports = kept.map(({ event, ref }): CrashReportRow => {
    const crashed_session_id = idsByRef.get(ref) ?? null;
    sessionsByEvent.set(event.id, crashed_session_id);
    const { id: event_id, timestamp: reported_at, name } = event;
    const crashed = { device_id, crashed_ref: ref, crashed_session_id };
    return {
      game_id,
      session_id,
      event_id,
      reported_at,
      name,
      data: serializeShortFields(event),
      ...crashed,
    };
  });
  return { reports, sessionsByEvent };
}

/** The fields of an event that describe a crash, without long traces and nested data. */
function serializeShortFields({ data }: SessionEvent): string {
  const short = new Map<string, string | number | boolean>();
  for (const [name, value] of Object.entries(data ?? {})) {
    if (short.size === MAX_FIELDS) break;
    if (name.length > MAX_FIELD_LENGTH) continue;
    if (typeof value === "string") short.set(name, value.slice(0, MAX_FIELD_LENGTH));
    if (typeof value === "number" || typeof value === "boolean") short.set(name, value);
  }
  return JSON.stringify(Object.fromEntries(short));
}

/** The crashes of a session that later ones reported, the earliest report first. */
export async function readReportedCrashes(
  db: Db,
  session: Pick<SessionRow, "game_id" | "id">,
): Promise<ReportedCrash[]> {
  const reports = await findReportsOfCrash(db, session, MAX_CRASH_REPORTS);
  return reports.map(({ session_id, event_id, name, reported_at, data }) => ({
    sessionId: session_id,
    event: { id: event_id, name, timestamp: reported_at, data: parseReportData(data) },
  }));
}

/** The data of a report; null if it is damaged, because the report belongs to another session. */
function parseReportData(json: string): Record<string, unknown> | null {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Replaces the stored reports of a session. The crashed sessions whose reports changed are analyzed again. */
export async function replaceCrashReports(
  db: Db,
  session: ReportingSession,
  reports: readonly CrashReportRow[],
  now: number,
): Promise<void> {
  const changed = findChangedRows(await findStoredReports(db, session), reports);
  if (changed.length === 0) return;
  await replaceStoredReports(db, session, reports);
  const crashed = new Set(changed.flatMap(({ crashed_session_id }) => crashed_session_id ?? []));
  await requestReanalysis(db, session.game_id, [...crashed], now);
}

/**
 * Requests another analysis of the sessions that reported a crash of this session before its data arrived.
 */
export async function requeueEarlyReports(db: Db, session: ReportingSession, now: number): Promise<void> {
  const reporters = await findUnresolvedReporters(db, session, MAX_CRASH_REPORTS);
  await requestReanalysis(db, session.game_id, reporters, now);
}

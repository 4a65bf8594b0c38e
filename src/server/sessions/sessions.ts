/** Sessions that do not come from telemetry: chat threads, recordings, and sessions that an administrator adds. */
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import type { SessionSource, SessionStatus } from "../../contract/sessions.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import type { Dependencies } from "../core/dependencies.ts";
import type { Db, GameRow, SessionRow } from "../db/schema.ts";
import { buildSearchText, type SessionItemFields } from "./list-item.ts";
import { createSessionRow, type NewSessionRow, resolveClock } from "./new-session.ts";
import { insertSession, updateSession } from "./session-queries.ts";

interface SessionDetails {
  /** Default: a new id. */
  readonly id?: string;
  readonly source: SessionSource;
  /** `transcribing` waits for a transcript; `pending` queues the session for analysis at once. */
  readonly status: Extract<SessionStatus, "pending" | "transcribing">;
  /** Default: the source and the time it was recorded. */
  readonly title?: string | undefined;
  /** Default: `unknown`, as for the platform. */
  readonly build?: string | undefined;
  readonly platform?: string | undefined;
  /** Further fields of the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly environment?: string | undefined;
  readonly testerHandle?: string | undefined;
  readonly transcript?: string | null;
  /** Unix ms (default: now). */
  readonly recordedAt?: number | undefined;
}

/** The sources of recordings, which need a transcript before they can be analyzed. */
const recordingSources: readonly SessionSource[] = [SOURCES.manual, SOURCES.obs];

export const isRecording = (source: SessionSource): boolean => recordingSources.includes(source);

/** Whether a session cannot be analyzed until its transcript is added. */
export function lacksTranscript({
  source,
  transcript,
  next_batch,
}: Pick<SessionRow, "source" | "transcript" | "next_batch">): boolean {
  return transcript === null && next_batch === 0 && isRecording(source);
}

/** Stores the transcript of a session and queues its analysis. */
export async function storeTranscript(
  db: Db,
  session: SessionRow,
  transcript: string,
  now: number,
): Promise<void> {
  const search = buildSearchText({ ...session, transcript });
  await updateSession(db, session, { transcript, search, ...buildQueuedState(now) }, now);
}

/** Queues a session again after its analysis failed. */
export async function retryAnalysis(db: Db, session: SessionRow, now: number): Promise<void> {
  await updateSession(db, session, buildQueuedState(now), now);
}

/** Marks a session as failed because its recording could not be transcribed. */
export async function failTranscription(db: Db, session: SessionItemFields, now: number): Promise<void> {
  const analysis_error = "The recording could not be transcribed";
  await updateSession(db, session, { status: "failed", analysis_due: null, analysis_error }, now);
}

function buildQueuedState(analysis_due: number) {
  return {
    status: "pending" as const,
    analysis_due,
    analysis_lease: null,
    analysis_attempts: 0,
    analysis_runs: 0,
    // An operator may ask the model again.
    enriched_version: null,
  };
}

/** Stores an ended session without events. Its analysis is due at once, unless it waits for a transcript. */
export async function addSession(
  db: Db,
  deps: Pick<Dependencies, "now" | "newId">,
  game: GameRow,
  details: SessionDetails,
): Promise<NewSessionRow> {
  const now = deps.now();
  const id = details.id ?? deps.newId("sess");
  const build = details.build ?? UNKNOWN_BUILD;
  const clock = resolveClock({ startedAt: details.recordedAt ?? null }, now);
  const row = {
    ...createSessionRow(game, {
      id,
      source: details.source,
      status: details.status,
      hasSentTitle: details.title !== undefined,
      title: details.title ?? `${details.source}, ${formatTitleTime(clock.recorded_at)}`,
      build,
      metadata: { ...details.metadata, gameVersion: build, platform: details.platform ?? "unknown" },
      environment: details.environment,
      testerHandle: details.testerHandle,
      clock,
      analysisDue: details.status === "pending" ? now : null,
    }),
    transcript: details.transcript ?? null,
    ended: 1,
  };
  await insertSession(db, row);
  return row;
}

/** Formats a time for default titles, in UTC and to the minute. */
export const formatTitleTime = (time: number): string => `${new Date(time).toISOString().slice(0, 16)}Z`;

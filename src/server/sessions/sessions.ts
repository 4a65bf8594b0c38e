/** Sessions that are not made by telemetry: chat threads, recordings and what an administrator adds. */
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import type { SessionSource, SessionStatus } from "../../contract/sessions.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import type { Dependencies } from "../core/dependencies.ts";
import type { Db, GameRow, SessionRow } from "../db/schema.ts";
import type { CountedSession } from "./count-queries.ts";
import { buildSearchText, type SessionItemFields } from "./list-item.ts";
import { createSessionRow, type NewSessionRow } from "./new-session.ts";
import { insertSession, updateSession } from "./queries.ts";
import { resolveClock } from "./session-clock.ts";

/** What is known of a new session. */
export interface SessionDetails {
  /** Made unless told. */
  readonly id?: string;
  readonly source: SessionSource;
  /** `transcribing` waits for a transcript; anything else is queued for analysis at once. */
  readonly status: Extract<SessionStatus, "pending" | "transcribing">;
  /** Default: the source and the time it was recorded. */
  readonly title?: string | undefined;
  /** Build version and platform; `unknown` where nobody told. */
  readonly build?: string | undefined;
  readonly platform?: string | undefined;
  /** Further fields of the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly environment?: string | undefined;
  readonly testerHandle?: string | undefined;
  readonly transcript?: string | null;
  /** Unix ms; now unless told. */
  readonly recordedAt?: number | undefined;
}

/** Recordings: nothing can be found in them before somebody has written down what was said. */
const recordingSources: readonly SessionSource[] = [SOURCES.manual, SOURCES.obs];

export const isRecording = (source: SessionSource): boolean => recordingSources.includes(source);

/** Whether a session holds nothing to analyse before somebody brings its transcript. */
export function lacksTranscript({
  source,
  transcript,
  next_batch,
}: Pick<SessionRow, "source" | "transcript" | "next_batch">): boolean {
  return transcript === null && next_batch === 0 && isRecording(source);
}

/** Gives a session that waits for it its transcript, and queues its analysis. */
export async function storeTranscript(
  db: Db,
  session: SessionRow,
  transcript: string,
  now: number,
): Promise<void> {
  const search = buildSearchText({ ...session, transcript });
  await updateSession(db, session, { transcript, search, ...buildQueuedState(now) });
}

/** Queues a session that was given up once more. */
export async function retryAnalysis(db: Db, session: SessionRow, now: number): Promise<void> {
  await updateSession(db, session, buildQueuedState(now));
}

/** Marks a session as failed whose recording could not be transcribed. */
export async function failTranscription(db: Db, session: SessionItemFields & CountedSession): Promise<void> {
  await updateSession(db, session, { status: "failed", analysis_due: null });
}

function buildQueuedState(analysis_due: number) {
  return { status: "pending" as const, analysis_due, analysis_lease: null, analysis_attempts: 0 };
}

/** Stores a session without events: it has ended, and unless it waits for its transcript its analysis is due. */
export async function addSession(
  db: Db,
  making: Pick<Dependencies, "now" | "newId">,
  game: GameRow,
  details: SessionDetails,
): Promise<NewSessionRow> {
  const now = making.now();
  const id = details.id ?? making.newId("sess");
  const build = details.build ?? UNKNOWN_BUILD;
  const clock = resolveClock(details.recordedAt ?? null, now);
  const row = {
    ...createSessionRow(game, {
      id,
      source: details.source,
      status: details.status,
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

/** A time to the minute, as default titles show it. */
export const formatTitleTime = (time: number): string => `${new Date(time).toISOString().slice(0, 16)}Z`;

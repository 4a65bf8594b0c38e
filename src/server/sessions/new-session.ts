/** Builds the row of a new session without any events. */
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { SessionSource } from "../../contract/sessions.ts";
import type { GameRow, SessionRow } from "../db/schema.ts";
import type { resolveClock } from "./session-clock.ts";

export type NewSessionRow = Omit<SessionRow, "item" | "search">;

interface NewSession {
  readonly id: string;
  readonly source: SessionSource;
  readonly status: SessionRow["status"];
  readonly title: string;
  readonly build: string;
  /** The session's metadata, including its build version and platform. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly environment: string | undefined;
  readonly testerHandle: string | undefined;
  readonly clock: ReturnType<typeof resolveClock>;
  /** When the analysis is due, unix ms; null for a session that waits for its transcript. */
  readonly analysisDue: number | null;
}

/** Builds the row of a session without a device or events. The session counts as its own tester. */
export function createSessionRow(game: GameRow, session: NewSession): NewSessionRow {
  return {
    game_id: game.id,
    id: session.id,
    account_id: game.account_id,
    environment: session.environment ?? DEFAULT_ENV,
    build: session.build,
    source: session.source,
    status: session.status,
    title: session.title,
    tester_handle: session.testerHandle ?? null,
    tester: session.id,
    metadata: JSON.stringify(session.metadata),
    analysis_due: session.analysisDue,
    ...session.clock,
    device_id: null,
    client_session_id: null,
    creation_hash: null,
    country: null,
    region: null,
    city: null,
    first_at: null,
    last_at: null,
    wall_ms: 0,
    active_ms: 0,
    transcript: null,
    event_counts: "{}",
    snapshot: null,
    snapshot_at: null,
    experiment_tags: "{}",
    ended: 0,
    next_batch: 0,
    analysis_lease: null,
    analysis_attempts: 0,
    analysis_error: null,
    analysis_version: null,
    reanalysis_due: null,
    events_pruned_at: null,
  };
}

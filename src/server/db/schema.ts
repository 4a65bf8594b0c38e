/** The tables, as Kysely sees them. Times are unix ms; JSON is kept as text. The game's id leads every key of play. */
import type { Kysely, Transaction } from "kysely";
import type { KeyKind } from "../../contract/define.ts";
import type { InsightType, Sentiment } from "../../contract/insights.ts";
import type { SessionSource, SessionStatus } from "../../contract/sessions.ts";

export interface AccountRow {
  id: string;
  name: string;
  created_at: number;
}

export interface KeyRow {
  /** SHA-256 of the key, hex: the key itself is never stored. */
  hash: string;
  account_id: string;
  kind: KeyKind;
  /** The game an ingest key is bound to; null for every game of the account. */
  game_id: string | null;
  created_at: number;
}

export interface GameRow {
  id: string;
  account_id: string;
  slug: string;
  name: string;
  created_at: number;
}

export interface SessionRow {
  game_id: string;
  id: string;
  account_id: string;
  environment: string;
  build: string;
  source: SessionSource;
  status: SessionStatus;
  title: string;
  tester_handle: string | null;
  device_id: string | null;
  /** The device, or the session itself where no device is known: who counts as one tester. */
  tester: string;
  client_session_id: string | null;
  country: string | null;
  region: string | null;
  city: string | null;
  recorded_at: number;
  /** First and last event timestamps; null without events. */
  first_at: number | null;
  last_at: number | null;
  wall_ms: number;
  active_ms: number;
  metadata: string;
  transcript: string | null;
  /** JSON: events by name. */
  event_counts: string;
  /** JSON: the last state snapshot, and the timestamp it came with. */
  snapshot: string | null;
  snapshot_at: number | null;
  experiment_tags: string;
  ended: number;
  /** Sequence number of the next batch: grows with every batch that stores an event. */
  next_batch: number;
  /** When the analysis is due; null when there is nothing to analyse. */
  analysis_due: number | null;
  /** Until when a worker holds the session; null when none does. */
  analysis_lease: number | null;
  analysis_attempts: number;
  /** The list item as JSON text, ready to be sent. */
  item: string;
  /** Folded text that `q` looks in. */
  search: string;
}

export interface BatchRow {
  game_id: string;
  session_id: string;
  seq: number;
  event_count: number;
  payload: Uint8Array;
}

export interface PositionChunkRow {
  game_id: string;
  session_id: string;
  seq: number;
  room: string;
  /** 1 where the heatmap takes the positions: sessions of Unity telemetry. */
  mapped: number;
  build: string;
  environment: string;
  points: number;
  x_min: number;
  x_max: number;
  y_min: number;
  y_max: number;
  /** Float64, little-endian: every x, then every y. */
  xy: Uint8Array;
}

export interface EventRollupRow {
  game_id: string;
  build: string;
  environment: string;
  /** Days since the epoch (UTC) of the session's recordedAt. */
  day: number;
  name: string;
  count: number;
}

export interface SessionRollupRow {
  game_id: string;
  build: string;
  environment: string;
  day: number;
  sessions: number;
}

export interface InsightRow {
  game_id: string;
  id: string;
  account_id: string;
  session_id: string;
  build: string;
  environment: string;
  tester: string;
  type: InsightType;
  sentiment: Sentiment;
  confidence: number;
  tag: string;
  title: string;
  evidence: string;
  created_at: number;
}

export interface BuildSummaryRow {
  game_id: string;
  build: string;
  environment: string;
  narrative: string;
  generated_at: number;
}

export interface TesterSummaryRow {
  game_id: string;
  device_id: string;
  environment: string;
  narrative: string;
  generated_at: number;
}

export interface Schema {
  accounts: AccountRow;
  keys: KeyRow;
  games: GameRow;
  sessions: SessionRow;
  event_batches: BatchRow;
  position_chunks: PositionChunkRow;
  event_rollups: EventRollupRow;
  session_rollups: SessionRollupRow;
  insights: InsightRow;
  build_summaries: BuildSummaryRow;
  tester_summaries: TesterSummaryRow;
}

/** A connection or a transaction: what a query runs on. */
export type Db = Kysely<Schema> | Transaction<Schema>;

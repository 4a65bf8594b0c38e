/** The tables, as Kysely sees them. Times are unix ms; JSON is kept as text. The game's id leads every key of play. */
import type { Kysely, Transaction } from "kysely";
import type { PlaytestKeyStatus } from "../../contract/batches.ts";
import type { ApiKeyKind } from "../../contract/define.ts";
import type { EventMeaning } from "../../contract/event-config.ts";
import type { ConfidenceLabel, ExperimentStatus } from "../../contract/experiments.ts";
import type { InsightType, Sentiment } from "../../contract/insights.ts";
import type { SessionSource, SessionStatus } from "../../contract/sessions.ts";

export interface AccountRow {
  id: string;
  name: string;
  created_at: number;
}

export interface ApiKeyRow {
  /** SHA-256 of the key, hex: the key itself is never stored. */
  hash: string;
  account_id: string;
  kind: ApiKeyKind;
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
  /** When the service first received the session, by its own clock; null for sessions stored before it kept this. */
  received_at: number | null;
  /** Added to the client's times because its clock was wrong, ms; null where the clock was not corrected. */
  clock_shift: number | null;
  /** First and last event timestamps, as the client sent them; null without events. */
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

export interface EventBatchRow {
  game_id: string;
  session_id: string;
  seq: number;
  event_count: number;
  payload: Uint8Array;
}

/** Positions of one room. */
interface PositionsRow {
  game_id: string;
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
}

/** The positions of one room in one batch, until they are moved into a block. */
export interface PositionChunkRow extends PositionsRow {
  session_id: string;
  seq: number;
  /** Float64, little-endian: every x, then every y. */
  xy: Uint8Array;
}

/** Positions of one room, build and environment, over sessions: a block only ever grows at its end. */
export interface PositionBlockRow extends PositionsRow {
  /** Counts the game's blocks from 1. */
  id: number;
  /** Float64, little-endian: x and y of each point in turn. */
  xy: Uint8Array;
}

/** Where a block holds positions of a session. */
export interface PositionSliceRow {
  game_id: string;
  session_id: string;
  room: string;
  block: number;
  /** The points of the block before these. */
  start: number;
  /** JSON: for each batch, in the order they lie in, its number and how many points it has. */
  parts: string;
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

export type EventTotalRow = Omit<EventRollupRow, "day">;

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

/** The session that a chat thread was last written to: the window of the webhook. */
export interface ChatThreadRow {
  game_id: string;
  channel_id: string;
  /** Empty for the channel itself. */
  thread_id: string;
  session_id: string;
  /** When the webhook was last called for it. */
  called_at: number;
}

export interface FeedbackFormRow {
  game_id: string;
  id: string;
  name: string;
  /** JSON: the fields in order. */
  fields: string;
  trigger_hint: string;
  active: number;
  created_at: number;
}

export interface FeedbackSubmissionRow {
  game_id: string;
  id: string;
  form_id: string;
  session_id: string;
  /** The client's own id of the request: sent again, it gives the same submission. */
  request_id: string;
  /** SHA-256 of what was sent, hex: tells a repeat from another request of the same id. */
  content_hash: string;
  /** The form's name when it was filled in. */
  form_name: string;
  /** JSON: the answers, each with its field's label and kind at the time. */
  responses: string;
  submitted_at: number;
}

export interface TesterHandleRow {
  game_id: string;
  id: string;
  handle: string;
  key_id: string | null;
  device_id: string | null;
  claimed_at: number | null;
  /** SHA-256 of the claim token, hex; null before one is issued. */
  claim_token_hash: string | null;
  created_at: number;
}

export interface EventConfigRow {
  game_id: string;
  name: string;
  sdk_ignore: number;
  link_to_summary: number;
  hide_from_ai: number;
  /** What the event tells of the player; null where the defaults decide. */
  meaning: EventMeaning | null;
}

export interface PlaytestBatchRow {
  game_id: string;
  id: string;
  name: string;
  distribution_target: string;
  fulfillment_source: string;
  redemption_mode: string;
  identity_mode: string;
  share_token: string | null;
  instructions: string | null;
  expires_at: number | null;
  created_at: number;
}

export interface PlaytestKeyRow {
  game_id: string;
  id: string;
  batch_id: string;
  /** SHA-256 of the key, hex: the key itself is never stored. */
  fingerprint: string;
  /** As last changed; `expired` is told from the batch's end, and not stored. */
  status: Exclude<PlaytestKeyStatus, "expired">;
  redeemed_at: number | null;
  redeemed_by_email: string | null;
  redeemed_by_handle: string | null;
  redemption_country: string | null;
  redemption_user_agent: string | null;
  redemption_ip: string | null;
  tester_invite_id: string | null;
  created_at: number;
}

export interface TesterInviteRow {
  game_id: string;
  id: string;
  batch_id: string;
  email: string;
  personal_note: string | null;
  /** SHA-256 of the redemption token, hex. */
  token_hash: string;
  sent_at: number | null;
  opened_at: number | null;
  redeemed_at: number | null;
}

export interface ProviderRow {
  account_id: string;
  kind: "chat" | "embedding";
  base_url: string;
  model: string;
  /** Kept as it is, for it must be sent; never shown. */
  api_key: string;
  /** How long one question may take in all, ms. */
  timeout_ms: number;
  updated_at: number;
}

export interface EmbeddingRow {
  account_id: string;
  /** SHA-256 over address, model and text, hex. */
  hash: string;
  /** Float64, little-endian. */
  vector: Uint8Array;
  created_at: number;
}

/** What a model answered about a game: suggestions, or the label of an archetype. */
export interface SuggestionAnswerRow {
  game_id: string;
  /** SHA-256 over the model and all it was shown, hex. */
  hash: string;
  /** JSON: the suggestions, or the label. */
  answer: string;
  created_at: number;
}

export interface RoomTimeRow {
  game_id: string;
  session_id: string;
  room: string;
  ms: number;
  recorded_at: number;
}

/** Who an experiment is for: players for whom one predicate of every field holds. */
export interface AudienceRow {
  game_id: string;
  id: string;
  name: string;
  /** JSON: a list of predicates. */
  predicates: string;
  created_at: number;
}

export interface ExperimentRow {
  game_id: string;
  id: string;
  account_id: string;
  name: string;
  status: ExperimentStatus;
  /** JSON: the variants in the order they were declared in. */
  variants: string;
  audience_id: string | null;
  winner_variant_key: string | null;
  created_at: number;
  /** When it was first started; null before. */
  started_at: number | null;
  /** When it was last stopped; null unless it is stopped. */
  stopped_at: number | null;
  /** Null unless it was deleted: its exposures stay, and nothing tells of it. */
  deleted_at: number | null;
}

/** A session that was tagged with a variant of an experiment of its game. */
export interface ExposureRow {
  game_id: string;
  experiment_id: string;
  session_id: string;
  variant_key: string;
}

export interface ExperimentDigestRow {
  game_id: string;
  experiment_id: string;
  status: "ok" | "degraded";
  confidence_label: ConfidenceLabel;
  /** JSON: the inner digest. */
  digest: string;
  generated_at: number;
}

/** Sessions of a game by what lists narrow them by. */
export interface SessionCountRow extends AccountCountKey {
  game_id: string;
  build: string;
  sessions: number;
}

interface AccountCountKey {
  environment: string;
  status: SessionStatus;
  source: SessionSource;
}

/** Sessions of an account, over all games and builds. */
export interface AccountSessionCountRow extends AccountCountKey {
  account_id: string;
  sessions: number;
}

export interface InsightCountRow {
  game_id: string;
  build: string;
  type: InsightType;
  sentiment: Sentiment;
  insights: number;
}

export interface AccountInsightCountRow {
  account_id: string;
  type: InsightType;
  sentiment: Sentiment;
  insights: number;
}

/** Sessions by the UTC day that they were recorded on, counted from 1970; a game's are in its rollups. */
export interface AccountSessionDayCountRow {
  account_id: string;
  day: number;
  environment: string;
  sessions: number;
}

/** Insights by the UTC day that they were made on. */
interface InsightDay {
  day: number;
  insights: number;
}
export type InsightDayCountRow = InsightDay & { game_id: string };
export type AccountInsightDayCountRow = InsightDay & { account_id: string };

/** The devices that a game has seen. */
export interface GameDeviceRow {
  game_id: string;
  device_id: string;
}

/** How many devices a game has seen. */
export interface GameCountRow {
  game_id: string;
  devices: number;
}

export interface Schema {
  accounts: AccountRow;
  keys: ApiKeyRow;
  games: GameRow;
  sessions: SessionRow;
  event_batches: EventBatchRow;
  position_chunks: PositionChunkRow;
  position_blocks: PositionBlockRow;
  position_slices: PositionSliceRow;
  event_rollups: EventRollupRow;
  event_totals: EventTotalRow;
  session_rollups: SessionRollupRow;
  insights: InsightRow;
  build_summaries: BuildSummaryRow;
  tester_summaries: TesterSummaryRow;
  audiences: AudienceRow;
  experiments: ExperimentRow;
  exposures: ExposureRow;
  experiment_digests: ExperimentDigestRow;
  providers: ProviderRow;
  embeddings: EmbeddingRow;
  suggestion_answers: SuggestionAnswerRow;
  room_times: RoomTimeRow;
  feedback_forms: FeedbackFormRow;
  feedback_submissions: FeedbackSubmissionRow;
  tester_handles: TesterHandleRow;
  event_config: EventConfigRow;
  playtest_batches: PlaytestBatchRow;
  playtest_keys: PlaytestKeyRow;
  tester_invites: TesterInviteRow;
  chat_threads: ChatThreadRow;
  session_counts: SessionCountRow;
  account_session_counts: AccountSessionCountRow;
  insight_counts: InsightCountRow;
  account_insight_counts: AccountInsightCountRow;
  account_session_day_counts: AccountSessionDayCountRow;
  insight_day_counts: InsightDayCountRow;
  account_insight_day_counts: AccountInsightDayCountRow;
  game_devices: GameDeviceRow;
  game_counts: GameCountRow;
}

/** A connection or a transaction: what a query runs on. */
export type Db = Kysely<Schema> | Transaction<Schema>;

/** The tables, as Kysely types. Times are unix ms, and JSON is stored as text. Keys of game data begin with the game's id. */
import type { Kysely, Transaction } from "kysely";
import type { PlaytestKeyStatus } from "../../contract/batches.ts";
import type { ApiKeyKind } from "../../contract/define.ts";
import type { ConfidenceLabel, ExperimentStatus } from "../../contract/experiments.ts";
import type { InsightType, Sentiment } from "../../contract/insights.ts";
import type { SessionSource, SessionStatus } from "../../contract/sessions.ts";
import type { EventMeaning } from "../../shared/event-names.ts";
import type { BodyFormat } from "../../webhooks/message.ts";

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
  /** The name of the key. The management key without a name is the account's own, which `rotate` replaces. */
  name: string | null;
  /** The environment that an ingest key is limited to; null for all environments. */
  environment: string | null;
  /** When the key stops working, unix ms; null for never. */
  expires_at: number | null;
  /** The start of the UTC day of the last use, unix ms; null if it was never used. */
  last_used_at: number | null;
}

/** A random secret of the database, by its purpose. */
export interface SecretRow {
  name: string;
  value: string;
}

/** An administrative change. */
export interface AuditRow {
  /** The account that was changed; empty for the whole database. */
  account_id: string;
  id: string;
  at: number;
  /** The command, such as `keys.revoke`. */
  action: string;
  actor: "operator" | "service";
  /** An id that identifies no person, or a keyed hash. */
  target: string | null;
  /** JSON. */
  detail: string;
  /** 1 after a server has written the change to its log. */
  logged: number;
}

export interface GameRow {
  id: string;
  account_id: string;
  slug: string;
  name: string;
  /** JSON: the settings that SDKs read; null for the defaults. */
  sdk_settings: string | null;
  created_at: number;
  /** How often sessions of the game were deleted: what servers have cached may still include them. */
  deletions: number;
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
  /** The id that counts as one tester: the device id, or the session id if no device is known. */
  tester: string;
  client_session_id: string | null;
  /** Hash of what identifies the request that created the session; null with a client session id, or if nothing does. */
  creation_hash: string | null;
  country: string | null;
  region: string | null;
  city: string | null;
  recorded_at: number;
  /** When the service first received the session, by its own clock; null for sessions older than this column. */
  received_at: number | null;
  /** Correction of a wrong client clock, to be added to the client's times, ms; null if the clock was right. */
  clock_shift: number | null;
  /** First and last event timestamps, as the client sent them; null without events. */
  first_at: number | null;
  last_at: number | null;
  wall_ms: number;
  active_ms: number;
  metadata: string;
  transcript: string | null;
  /** JSON: event counts by name. */
  event_counts: string;
  /** JSON: the last state snapshot. */
  snapshot: string | null;
  /** The timestamp of the event with the last state snapshot. */
  snapshot_at: number | null;
  experiment_tags: string;
  ended: number;
  /** Sequence number of the next telemetry batch. Only batches that store an event are numbered. */
  next_batch: number;
  /** When the analysis is due; null if there is nothing to analyze. */
  analysis_due: number | null;
  /** When the lease of the worker that analyzes the session expires; null without a lease. */
  analysis_lease: number | null;
  analysis_attempts: number;
  /** Why the session got the status `failed`; meaningless in any other status. Null for failures of earlier versions. */
  analysis_error: string | null;
  /** The version of the rules that found the stored insights; null if there are none. */
  analysis_version: number | null;
  /** When the finished analysis should be repeated, although no data was added; null if it is up to date. */
  reanalysis_due: number | null;
  /** When retention removed the events, unix ms; null if they are stored. The session then accepts no further events. */
  events_pruned_at: number | null;
  /** The session as list responses show it, as JSON text. */
  item: string;
  /** The case-folded text that the filter `q` searches. */
  search: string;
}

/** When sessions that started in an hour, or feedback that arrived in it, were last added, changed or deleted. */
export interface SessionChangeRow {
  game_id: string;
  /** Hours since 1970, UTC. */
  hour: number;
  /** Unix ms; later than every earlier change of the game, even if the clock was set back. */
  changed_at: number;
}

export interface EventBatchRow {
  game_id: string;
  session_id: string;
  seq: number;
  event_count: number;
  payload: Uint8Array;
  /** When the service received the batch, unix ms. Later batches of a game never have an earlier time, see `insertBatch`. */
  received_at: number;
}

/** Columns that position chunks and blocks share. */
interface PositionsRow {
  game_id: string;
  /** The name of the events. */
  event: string;
  /** The source of the sessions. */
  source: SessionRow["source"];
  room: string;
  build: string;
  environment: string;
  points: number;
  x_min: number;
  x_max: number;
  y_min: number;
  y_max: number;
}

/** The positions of one event in one room of one telemetry batch, until compaction moves them into a block. */
export interface PositionChunkRow extends PositionsRow {
  session_id: string;
  seq: number;
  /** Float64, little-endian: every x, then every y. */
  xy: Uint8Array;
}

/** Positions of one event, source, room, build and environment from many sessions. A block only grows at its end. */
export interface PositionBlockRow extends PositionsRow {
  /** Number of the block within its game, from 1. */
  id: number;
  /** Float64, little-endian: x and y of each point, interleaved. */
  xy: Uint8Array;
}

/** A range of a block with positions of one session. */
export interface PositionSliceRow {
  game_id: string;
  session_id: string;
  event: string;
  room: string;
  block: number;
  /** Index of the first point within the block. */
  start: number;
  /** JSON: `[seq, points]` for each telemetry batch, in the order of the points. */
  parts: string;
}

/** Counts of events by day, which compaction moves into an EventCountBlockRow. The sum of both is the count. */
export interface EventRollupRow {
  game_id: string;
  build: string;
  environment: string;
  /** Days since the epoch (UTC) of the session's recordedAt. */
  day: number;
  name: string;
  count: number;
}

/** Counts of events by name and day, of one build and environment in 32 days. */
export interface EventCountBlockRow {
  game_id: string;
  /** The first day, divided by 32. */
  block: number;
  build: string;
  environment: string;
  /** JSON: an array of names, sorted. */
  names: string;
  /** Float64, little-endian: pairs of a place and a count, see `event-block.ts`. */
  counts: Uint8Array;
}

export type EventTotalRow = Omit<EventRollupRow, "day">;

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
  /** JSON: the claims behind the words; empty for findings of an AI model and of versions without claims. */
  claims: string;
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

/** The session that a chat thread currently belongs to. */
export interface ChatThreadRow {
  game_id: string;
  channel_id: string;
  /** Empty for the channel itself. */
  thread_id: string;
  session_id: string;
  /** When the webhook was last called for the thread. */
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
  /** The client's id of the request. A repeated request returns the same submission. */
  request_id: string;
  /** SHA-256 of the request, hex: distinguishes a repeat from a different request with the same id. */
  content_hash: string;
  /** The form's name when it was filled in. */
  form_name: string;
  /** JSON: the answers, each with the label and kind that its field had at the time. */
  responses: string;
  /** When the form was shown and sent, in seconds since the start of the session; null if unknown. */
  asked_at_sec: number | null;
  answered_at_sec: number | null;
  submitted_at: number;
}

/** A bug report that a player sent. */
export interface BugReportRow {
  game_id: string;
  id: string;
  session_id: string | null;
  idempotency_key: string;
  /** SHA-256 of the request, hex: distinguishes a repeat from a different request with the same key. */
  content_hash: string;
  title: string;
  description: string;
  severity: string;
  player_id: string | null;
  build: string;
  environment: string;
  platform: string;
  /** JSON: further fields about the device. */
  device: string;
  created_at: number;
}

export interface TesterHandleRow {
  game_id: string;
  id: string;
  handle: string;
  key_id: string | null;
  device_id: string | null;
  claimed_at: number | null;
  /** SHA-256 of the claim token, hex; null if none was issued. */
  claim_token_hash: string | null;
  created_at: number;
}

export interface EventConfigRow {
  game_id: string;
  name: string;
  sdk_ignore: number;
  link_to_summary: number;
  hide_from_ai: number;
  /** What the event means for the player; null for the default. */
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
  /** The stored status. `expired` is derived from the batch's end date. */
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
  /** In plain text, because it must be sent to the provider. Never shown. */
  api_key: string;
  /** Maximum total duration of one request to the model, ms. */
  timeout_ms: number;
  updated_at: number;
}

/** A URL that events of an account are sent to. */
export interface WebhookRow {
  account_id: string;
  id: string;
  /** The game whose events are sent; null for all games of the account. */
  game_id: string | null;
  /** It may contain a secret, so it is only shown to the operator. */
  url: string;
  format: BodyFormat;
  /** The names of the events, separated by spaces. */
  events: string;
  /** In plain text, because it signs requests. Shown once. */
  secret: string;
  created_at: number;
  /** When the lease of the server that sends to it expires, unix ms; null if no server does. */
  lease: number | null;
  /** Number of events that were accepted, and that were given up. */
  delivered: number;
  dropped: number;
  /** Time of the last attempt; null before the first one. */
  attempted_at: number | null;
  /** Time since which every attempt failed; null if the last one succeeded. */
  failing_since: number | null;
  /** Why the last attempt failed; null if it succeeded. */
  last_error: string | null;
}

/** An event in the outbox of a webhook. Deleted when it is accepted or given up. */
export interface WebhookDeliveryRow {
  webhook_id: string;
  /** The same for all webhooks that the event is sent to. */
  id: string;
  game_id: string;
  session_id: string | null;
  /** The player who sent the bug report in the body; null for other events, and if the report names no player. */
  player_id: string | null;
  type: string;
  body: string;
  created_at: number;
  /** Time of the next attempt. */
  due_at: number;
  /** Number of attempts that were started. */
  attempts: number;
}

/** What is known about the decision of an experiment. */
export interface ExperimentDecisionRow {
  game_id: string;
  experiment_id: string;
  /** The variant that was announced; null before that. */
  variant_key: string | null;
  /** Time of the last check for a leader. */
  checked_at: number;
}

export interface EmbeddingRow {
  account_id: string;
  /** SHA-256 of URL, model and text, hex. */
  hash: string;
  /** Float64, little-endian. */
  vector: Uint8Array;
  created_at: number;
}

/** A cached model response about a game: suggestions, or the label of an archetype. */
export interface SuggestionAnswerRow {
  game_id: string;
  /** SHA-256 of the model and its complete input, hex. */
  hash: string;
  /** JSON: the suggestions, or the label. */
  answer: string;
  created_at: number;
}

export interface RoomTimeRow {
  game_id: string;
  session_id: string;
  room: string;
  build: string;
  environment: string;
  /** Active time until the first success, or in total if there is none. */
  ms: number;
  /** Active time in the longest stretch of play up to a success. */
  longest_ms: number;
  /** Whether the session completed the room: 1 or 0; null if it was analyzed before this column existed. */
  completed: number | null;
  recorded_at: number;
}

/** The build whose times in a room the sessions of a game and environment are compared with. */
export interface RoomReferenceRow {
  game_id: string;
  environment: string;
  room: string;
  /** Null as long as no build has enough sessions in the room. */
  build: string | null;
  /** When that build had enough sessions in the room, by their recording, unix ms. */
  first_at: number | null;
  /** Hash of the times that count. */
  digest: string | null;
  /** Sessions with a higher id must still be compared with the new times, up to the last one; null if all were. */
  requeue_after: string | null;
}

/** A crash event that reports the crash of an earlier session of the same device. */
export interface CrashReportRow {
  game_id: string;
  /** The session that contains the event. */
  session_id: string;
  event_id: string;
  /** The timestamp of the event, unix ms. */
  reported_at: number;
  name: string;
  /** JSON: the short fields of the event's data. */
  data: string;
  device_id: string;
  /** The session that crashed, by its id or client session id, as the client named it. */
  crashed_ref: string;
  /** The session that crashed; null if the service does not have it. */
  crashed_session_id: string | null;
}

/** The audience of an experiment: for every field, a player must match one of its predicates. */
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
  /** JSON: the variants in the order of their definition. */
  variants: string;
  audience_id: string | null;
  winner_variant_key: string | null;
  created_at: number;
  /** When it was first started; null before. */
  started_at: number | null;
  /** When it was last stopped; null unless it is stopped. */
  stopped_at: number | null;
  /** Null unless it was deleted. Its exposures are kept but no longer shown. */
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

/** One request with stored events, or what was refused of one, for the live tail. Kept for some minutes. */
export interface ArrivalRow {
  account_id: string;
  /** Number within the account, in the order of commit. */
  id: number;
  /** Time of receipt, unix ms. */
  at: number;
  game_id: string | null;
  /** The session with the stored events; null for refusals, and for arrivals that only count. */
  session_id: string | null;
  seq: number | null;
  /** Number of events, or of refusals. */
  entries: number;
  /** Sum of `entries` over all arrivals of the account up to this one. */
  total: number;
  /** JSON: what was refused; null if events were stored. */
  refusals: string | null;
}

/** Refused requests and rejected events, by the UTC hour (hours since 1970). */
export interface RefusalCountRow {
  account_id: string;
  hour: number;
  reason: string;
  refusals: number;
}

/** The version of the program that last updated the schema. The only row has the id 1. */
export interface ProgramVersionRow {
  id: number;
  version: string;
}

/** What a tombstone is about. */
export type TombstoneKind =
  | "session"
  | "client_session"
  | "creation"
  | "device"
  | "handle"
  | "email"
  | "game";

/** Something that was erased. Late telemetry about it is refused, and an older archive does not bring it back. */
export interface TombstoneRow {
  kind: TombstoneKind;
  /** Keyed hash of the game and of what was erased. */
  hash: string;
  erased_at: number;
}

/** An erasure that is not finished, so that another run can continue it. */
export interface ErasureRow {
  account_id: string;
  id: string;
  started_at: number;
  /** JSON: whom and what to erase. */
  plan: string;
  /** JSON: the number of rows that were erased so far, by table. */
  counts: string;
}

/** The state of pruning, in one row: the policy, who prunes, and what was pruned. */
export interface RetentionStateRow {
  /** Always 1. */
  id: number;
  /** The policy of the server that was started last, ms; null to keep everything. */
  keep_events_ms: number | null;
  keep_sessions_ms: number | null;
  /** The run that is pruning; null if none is. */
  holder: string | null;
  /** Changes with every step of the holder. If it stops changing, the process of the holder has ended. */
  turn: number;
  /** The session of which only some events have been deleted so far; null if there is none. */
  game_id: string | null;
  session_id: string | null;
  /** Totals since the database was created. */
  pruned_sessions: number;
  pruned_events: number;
  deleted_sessions: number;
  /** When the last complete run ended, unix ms; null before the first one. */
  last_pruned_at: number | null;
}

/** Somebody who is signed in to the console, with a management key. */
export interface ConsoleSessionRow {
  /** SHA-256 of the token in the cookie, in hexadecimal. */
  hash: string;
  /** The key that was used to sign in. The session ends when the key does. */
  key_hash: string;
  created_at: number;
  /** Unix ms. */
  expires_at: number;
}

export interface Schema {
  tombstones: TombstoneRow;
  erasures: ErasureRow;
  arrivals: ArrivalRow;
  refusal_counts: RefusalCountRow;
  console_sessions: ConsoleSessionRow;
  accounts: AccountRow;
  keys: ApiKeyRow;
  secrets: SecretRow;
  audit: AuditRow;
  games: GameRow;
  sessions: SessionRow;
  session_changes: SessionChangeRow;
  event_batches: EventBatchRow;
  position_chunks: PositionChunkRow;
  position_blocks: PositionBlockRow;
  position_slices: PositionSliceRow;
  event_rollups: EventRollupRow;
  event_count_blocks: EventCountBlockRow;
  event_totals: EventTotalRow;
  insights: InsightRow;
  build_summaries: BuildSummaryRow;
  tester_summaries: TesterSummaryRow;
  audiences: AudienceRow;
  experiments: ExperimentRow;
  exposures: ExposureRow;
  experiment_digests: ExperimentDigestRow;
  providers: ProviderRow;
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  experiment_decisions: ExperimentDecisionRow;
  embeddings: EmbeddingRow;
  suggestion_answers: SuggestionAnswerRow;
  room_times: RoomTimeRow;
  room_references: RoomReferenceRow;
  crash_reports: CrashReportRow;
  feedback_forms: FeedbackFormRow;
  feedback_submissions: FeedbackSubmissionRow;
  tester_handles: TesterHandleRow;
  event_config: EventConfigRow;
  bug_reports: BugReportRow;
  playtest_batches: PlaytestBatchRow;
  playtest_keys: PlaytestKeyRow;
  tester_invites: TesterInviteRow;
  chat_threads: ChatThreadRow;
  program_versions: ProgramVersionRow;
  retention_state: RetentionStateRow;
}

/** A connection or a transaction, on which queries run. */
export type Db = Kysely<Schema> | Transaction<Schema>;

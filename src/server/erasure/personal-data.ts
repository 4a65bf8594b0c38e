/**
 * Where the database holds something of a session or a tester, and what an erasure does with it. Every table and column is
 * listed, so that a new one cannot be forgotten: a test compares this list with the migrations.
 */
import type { Schema } from "../db/schema.ts";

/** What happens to the rows of a table. */
export type Policy =
  /** Nothing in the table comes from a tester, or only as a keyed hash. */
  | "keep"
  /** The rows are deleted. */
  | "delete"
  /** The rows are kept without the columns in `clears`. */
  | "clear"
  /** The rows cover several sessions. They are counted, computed or generated again without the erased ones. */
  | "derive";

/** The columns by which the rows of a session or tester are found. A row belongs to them if any of the columns matches. */
type Finders<Column> = {
  /** The id of a session. */
  readonly session?: Column;
  /** The id of a device. */
  readonly device?: Column;
  /** A tester handle, or the id of a player in the words of the game, which is often the same. */
  readonly handle?: Column;
  readonly email?: Column;
  /** The id of a playtest key that the tester redeemed or was to redeem. */
  readonly playtestKey?: Column;
  /** The id of an invite. */
  readonly invite?: Column;
};

export type FinderKind = keyof Finders<string>;

interface TablePolicy<Column> {
  readonly policy: Policy;
  readonly found?: Finders<Column>;
  readonly clears?: readonly Column[];
  readonly columns: readonly Column[];
}

type PersonalData = { readonly [Name in keyof Schema]: TablePolicy<keyof Schema[Name] & string> };

const position = ["event", "source", "room", "build", "environment", "points"] as const;
const bounds = ["x_min", "x_max", "y_min", "y_max", "xy"] as const;
const rollup = ["game_id", "build", "environment"] as const;

export const personalData = {
  accounts: { policy: "keep", columns: ["id", "name", "created_at"] },
  keys: {
    policy: "keep",
    columns: [
      ...(["hash", "account_id", "kind", "game_id", "created_at", "name", "environment"] as const),
      ...(["expires_at", "last_used_at"] as const),
    ],
  },
  // A target that is a tester or a session is a keyed hash.
  audit: {
    policy: "keep",
    columns: ["account_id", "id", "at", "action", "actor", "target", "detail", "logged"],
  },
  secrets: { policy: "keep", columns: ["name", "value"] },
  games: {
    policy: "keep",
    columns: ["id", "account_id", "slug", "name", "sdk_settings", "created_at", "deletions"],
  },
  tombstones: { policy: "keep", columns: ["kind", "hash", "erased_at"] },
  // Names the tester until the erasure is finished. Its last step deletes the row.
  erasures: { policy: "keep", columns: ["account_id", "id", "started_at", "plan", "counts"] },
  providers: {
    policy: "keep",
    columns: ["account_id", "kind", "base_url", "model", "api_key", "timeout_ms", "updated_at"],
  },
  webhooks: {
    policy: "keep",
    columns: [
      ...(["account_id", "id", "game_id", "url", "format", "events", "secret", "created_at"] as const),
      ...(["lease", "delivered", "dropped", "attempted_at", "failing_since", "last_error"] as const),
    ],
  },
  experiment_decisions: {
    policy: "keep",
    columns: ["game_id", "experiment_id", "variant_key", "checked_at"],
  },
  program_versions: { policy: "keep", columns: ["id", "version"] },
  event_config: {
    policy: "keep",
    columns: ["game_id", "name", "sdk_ignore", "link_to_summary", "hide_from_ai", "meaning"],
  },
  feedback_forms: {
    policy: "keep",
    columns: ["game_id", "id", "name", "fields", "trigger_hint", "active", "created_at"],
  },
  audiences: { policy: "keep", columns: ["game_id", "id", "name", "predicates", "created_at"] },
  experiments: {
    policy: "keep",
    columns: [
      ...(["game_id", "id", "account_id", "name", "status", "variants", "audience_id"] as const),
      ...(["winner_variant_key", "created_at", "started_at", "stopped_at", "deleted_at"] as const),
    ],
  },
  playtest_batches: {
    policy: "keep",
    columns: [
      ...(["game_id", "id", "name", "distribution_target", "fulfillment_source", "redemption_mode"] as const),
      ...(["identity_mode", "share_token", "instructions", "expires_at", "created_at"] as const),
    ],
  },
  // A redeemed key stays redeemed: it cannot be given to anybody else.
  playtest_keys: {
    policy: "clear",
    found: { handle: "redeemed_by_handle", email: "redeemed_by_email", playtestKey: "id" },
    clears: [
      ...(["redeemed_at", "redeemed_by_email", "redeemed_by_handle", "redemption_country"] as const),
      ...(["redemption_user_agent", "redemption_ip", "tester_invite_id"] as const),
    ],
    columns: [
      ...([
        "game_id",
        "id",
        "batch_id",
        "fingerprint",
        "status",
        "redeemed_at",
        "redeemed_by_email",
      ] as const),
      ...(["redeemed_by_handle", "redemption_country", "redemption_user_agent", "redemption_ip"] as const),
      ...(["tester_invite_id", "created_at"] as const),
    ],
  },
  tester_invites: {
    policy: "delete",
    found: { email: "email", invite: "id" },
    columns: [
      ...(["game_id", "id", "batch_id", "email", "personal_note", "token_hash", "sent_at"] as const),
      ...(["opened_at", "redeemed_at"] as const),
    ],
  },
  tester_handles: {
    policy: "delete",
    found: { handle: "handle", device: "device_id" },
    columns: [
      ...(["game_id", "id", "handle", "key_id", "device_id", "claimed_at"] as const),
      ...(["claim_token_hash", "created_at"] as const),
    ],
  },
  sessions: {
    policy: "delete",
    found: { session: "id" },
    columns: [
      ...(["game_id", "id", "account_id", "environment", "build", "source", "status", "title"] as const),
      ...(["tester_handle", "device_id", "tester", "client_session_id", "creation_hash"] as const),
      ...(["country", "region", "city", "recorded_at", "received_at", "clock_shift"] as const),
      ...(["first_at", "last_at", "wall_ms", "active_ms", "metadata", "transcript"] as const),
      ...(["event_counts", "snapshot", "snapshot_at", "experiment_tags", "ended", "next_batch"] as const),
      ...(["analysis_due", "analysis_lease", "analysis_attempts", "analysis_error"] as const),
      ...(["analysis_version", "reanalysis_due", "events_pruned_at", "item", "search"] as const),
    ],
  },
  // That something of an hour changed, without saying what.
  session_changes: { policy: "keep", columns: ["game_id", "hour", "changed_at"] },
  // Names the session whose events are being removed.
  retention_state: {
    policy: "clear",
    found: { session: "session_id" },
    clears: ["game_id", "session_id"],
    columns: [
      ...(["id", "keep_events_ms", "keep_sessions_ms", "holder", "turn", "game_id", "session_id"] as const),
      ...(["pruned_sessions", "pruned_events", "deleted_sessions", "last_pruned_at"] as const),
    ],
  },
  event_batches: {
    policy: "delete",
    found: { session: "session_id" },
    columns: ["game_id", "session_id", "seq", "event_count", "payload", "received_at"],
  },
  position_chunks: {
    policy: "delete",
    found: { session: "session_id" },
    columns: ["game_id", "session_id", "seq", ...position, ...bounds],
  },
  position_slices: {
    policy: "delete",
    found: { session: "session_id" },
    columns: ["game_id", "session_id", "event", "room", "block", "start", "parts"],
  },
  position_blocks: { policy: "derive", columns: ["game_id", "id", ...position, ...bounds] },
  exposures: {
    policy: "delete",
    found: { session: "session_id" },
    columns: ["game_id", "experiment_id", "session_id", "variant_key"],
  },
  feedback_submissions: {
    policy: "delete",
    found: { session: "session_id" },
    columns: [
      ...(["game_id", "id", "form_id", "session_id", "request_id", "content_hash", "form_name"] as const),
      ...(["responses", "asked_at_sec", "answered_at_sec", "submitted_at"] as const),
    ],
  },
  bug_reports: {
    policy: "delete",
    found: { session: "session_id", handle: "player_id", device: "player_id" },
    columns: [
      ...(["game_id", "id", "session_id", "idempotency_key", "content_hash", "title"] as const),
      ...(["description", "severity", "player_id", "build", "environment", "platform"] as const),
      ...(["device", "created_at"] as const),
    ],
  },
  chat_threads: {
    policy: "delete",
    found: { session: "session_id" },
    columns: ["game_id", "channel_id", "thread_id", "session_id", "called_at"],
  },
  insights: {
    policy: "delete",
    found: { session: "session_id" },
    columns: [
      ...(["game_id", "id", "account_id", "session_id", "build", "environment", "tester"] as const),
      ...(["type", "sentiment", "confidence", "tag", "title", "evidence", "claims"] as const),
      "created_at",
    ],
  },
  room_times: {
    policy: "delete",
    found: { session: "session_id" },
    columns: [
      ...(["game_id", "session_id", "room", "build", "environment", "ms", "longest_ms"] as const),
      ...(["completed", "recorded_at"] as const),
    ],
  },
  room_references: {
    policy: "derive",
    columns: ["game_id", "environment", "room", "build", "first_at", "digest", "requeue_after"],
  },
  crash_reports: {
    policy: "delete",
    found: { session: "session_id" },
    columns: [
      ...(["game_id", "session_id", "event_id", "reported_at", "name", "data", "device_id"] as const),
      ...(["crashed_ref", "crashed_session_id"] as const),
    ],
  },
  build_summaries: {
    policy: "derive",
    columns: ["game_id", "build", "environment", "narrative", "generated_at"],
  },
  // The bodies that wait to be sent contain texts of the session.
  webhook_deliveries: {
    policy: "delete",
    found: { session: "session_id", handle: "player_id", device: "player_id" },
    columns: [
      ...(["webhook_id", "id", "game_id", "session_id", "player_id", "type", "body"] as const),
      ...(["created_at", "due_at", "attempts"] as const),
    ],
  },
  tester_summaries: {
    policy: "delete",
    found: { device: "device_id" },
    columns: ["game_id", "device_id", "environment", "narrative", "generated_at"],
  },
  experiment_digests: {
    policy: "derive",
    columns: ["game_id", "experiment_id", "status", "confidence_label", "digest", "generated_at"],
  },
  // Caches of model answers cannot be traced to testers, so they are emptied.
  embeddings: { policy: "derive", columns: ["account_id", "hash", "vector", "created_at"] },
  suggestion_answers: { policy: "derive", columns: ["game_id", "hash", "answer", "created_at"] },
  event_rollups: { policy: "derive", columns: [...rollup, "day", "name", "count"] },
  event_count_blocks: { policy: "derive", columns: [...rollup, "block", "names", "counts"] },
  event_totals: { policy: "derive", columns: [...rollup, "name", "count"] },
  // The live tail counts what arrived, so the rows stay without what identifies a session or device.
  arrivals: {
    policy: "clear",
    found: { session: "session_id" },
    clears: ["game_id", "session_id", "seq", "refusals"],
    columns: [
      ...(["account_id", "id", "at", "game_id", "session_id", "seq", "entries", "total"] as const),
      "refusals",
    ],
  },
  refusal_counts: { policy: "keep", columns: ["account_id", "hour", "reason", "refusals"] },
  console_sessions: { policy: "keep", columns: ["hash", "key_hash", "created_at", "expires_at"] },
} as const satisfies PersonalData;

export type PersonalTable = keyof typeof personalData;

const policies: PersonalData = personalData;

/** The tables whose rows are found by a column of the kind, with that column. */
export function listFinders(
  kind: FinderKind,
): { table: PersonalTable; column: string; clears: readonly string[] | null }[] {
  return (Object.keys(policies) as PersonalTable[]).flatMap((table) => {
    const { policy, found, clears = [] } = policies[table] as TablePolicy<string>;
    const column = found?.[kind];
    return column === undefined ? [] : [{ table, column, clears: policy === "clear" ? clears : null }];
  });
}

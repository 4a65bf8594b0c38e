/** The tables that archives contain, with the columns of their primary keys in key order. */
import type { Schema } from "./schema.ts";

/** Tables with the state of running servers or of this database, which is meaningless in another database. */
export const ephemeralTables = [
  "rate_limits",
  "arrivals",
  "refusal_counts",
  "webhook_deliveries",
  "program_versions",
  "console_sessions",
] as const;

type PersistentTable = Exclude<keyof Schema, (typeof ephemeralTables)[number]>;

/** In the order in which archives contain them. */
export const tables = {
  accounts: ["id"],
  keys: ["hash"],
  secrets: ["name"],
  audit: ["account_id", "id"],
  games: ["id"],
  tombstones: ["kind", "hash"],
  erasures: ["account_id", "id"],
  providers: ["account_id", "kind"],
  webhooks: ["account_id", "id"],
  event_config: ["game_id", "name"],
  feedback_forms: ["game_id", "id"],
  audiences: ["game_id", "id"],
  experiments: ["game_id", "id"],
  playtest_batches: ["game_id", "id"],
  playtest_keys: ["game_id", "id"],
  tester_invites: ["game_id", "id"],
  tester_handles: ["game_id", "id"],
  sessions: ["game_id", "id"],
  session_changes: ["game_id", "hour"],
  event_batches: ["game_id", "session_id", "seq"],
  position_chunks: ["game_id", "session_id", "seq", "event", "room"],
  position_blocks: ["game_id", "id"],
  position_slices: ["game_id", "session_id", "room", "block", "start"],
  exposures: ["game_id", "experiment_id", "session_id", "variant_key"],
  feedback_submissions: ["game_id", "id"],
  bug_reports: ["game_id", "id"],
  chat_threads: ["game_id", "channel_id", "thread_id"],
  insights: ["game_id", "id"],
  room_times: ["game_id", "session_id", "room"],
  room_references: ["game_id", "environment", "room"],
  crash_reports: ["game_id", "session_id", "event_id"],
  build_summaries: ["game_id", "build", "environment"],
  tester_summaries: ["game_id", "device_id", "environment"],
  experiment_digests: ["game_id", "experiment_id"],
  experiment_decisions: ["game_id", "experiment_id"],
  embeddings: ["account_id", "hash"],
  suggestion_answers: ["game_id", "hash"],
  event_rollups: ["game_id", "build", "environment", "day", "name"],
  event_count_blocks: ["game_id", "block", "build", "environment"],
  event_totals: ["game_id", "build", "environment", "name"],
  retention_state: ["id"],
} as const satisfies { readonly [Name in PersistentTable]: readonly (keyof Schema[Name])[] };

export type TableName = keyof typeof tables;

export const tableNames = Object.keys(tables) as TableName[];

/** Columns with the state of running servers. Archives store null instead. */
export const ephemeralColumns: { readonly [Name in TableName]?: readonly (keyof Schema[Name])[] } = {
  sessions: ["analysis_lease"],
  webhooks: ["lease"],
  retention_state: ["holder"],
};

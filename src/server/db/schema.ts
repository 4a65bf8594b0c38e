/** The tables, as Kysely types. Times are unix ms, and JSON is stored as text. Keys of game data begin with the game's id. */
import type { Kysely, Transaction } from "kysely";
import type { RowOf } from "./tables/define.ts";
import type { tables } from "./tables.ts";

export type { TombstoneKind } from "./tables/state.ts";

export type Schema = { [Name in keyof typeof tables]: RowOf<(typeof tables)[Name]> };

export type AccountRow = Schema["accounts"];
export type ApiKeyRow = Schema["keys"];
export type ArrivalRow = Schema["arrivals"];
export type AudienceRow = Schema["audiences"];
export type AuditRow = Schema["audit"];
export type BudgetLimitRow = Schema["budget_limits"];
export type BudgetUseRow = Schema["budget_uses"];
export type BuildStateRow = Schema["build_states"];
export type BugReportRow = Schema["bug_reports"];
export type ChatThreadRow = Schema["chat_threads"];
export type ConsoleSessionRow = Schema["console_sessions"];
export type CrashReportRow = Schema["crash_reports"];
export type EmbeddingRow = Schema["embeddings"];
export type EventBatchRow = Schema["event_batches"];
export type EventConfigRow = Schema["event_config"];
export type EventCountBlockRow = Schema["event_count_blocks"];
export type EventRollupRow = Schema["event_rollups"];
export type ExperimentDigestRow = Schema["experiment_digests"];
export type ExperimentRow = Schema["experiments"];
export type FeedbackFormRow = Schema["feedback_forms"];
export type FeedbackSubmissionRow = Schema["feedback_submissions"];
export type GameRow = Schema["games"];
export type GateRow = Schema["gates"];
export type InsightRow = Schema["insights"];
export type PlaytestBatchRow = Schema["playtest_batches"];
export type KeptDeliveryRow = Schema["kept_deliveries"];
export type PlaytestKeyRow = Schema["playtest_keys"];
export type PositionBlockRow = Schema["position_blocks"];
export type PositionChunkRow = Schema["position_chunks"];
export type PositionSliceRow = Schema["position_slices"];
export type ProviderRow = Schema["providers"];
export type PruningStateRow = Schema["retention_state"];
export type RoomReferenceRow = Schema["room_references"];
export type RoomSettingsRow = Schema["room_settings"];
export type RoomTimeRow = Schema["room_times"];
export type SecretRow = Schema["secrets"];
export type SessionChangeRow = Schema["session_changes"];
export type SessionRow = Schema["sessions"];
export type SuggestionAnswerRow = Schema["suggestion_answers"];
export type SummaryQueueRow = Schema["summary_queue"];
export type TesterHandleRow = Schema["tester_handles"];
export type TesterInviteRow = Schema["tester_invites"];
export type TombstoneRow = Schema["tombstones"];
export type WebhookDeliveryRow = Schema["webhook_deliveries"];
export type WebhookRow = Schema["webhooks"];

/** A connection or a transaction, on which queries run. */
export type Db = Kysely<Schema> | Transaction<Schema>;

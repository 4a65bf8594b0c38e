/** All tables. */
import * as accounts from "./tables/accounts.ts";
import type { Column, TableDefinition } from "./tables/define.ts";
import * as findings from "./tables/findings.ts";
import * as playtests from "./tables/playtests.ts";
import * as sessions from "./tables/sessions.ts";
import * as state from "./tables/state.ts";
import * as testers from "./tables/testers.ts";

/** The tables by name, in the order in which archives contain them. */
export const tables = {
  accounts: accounts.accounts,
  keys: accounts.keys,
  secrets: accounts.secrets,
  audit: accounts.audit,
  games: accounts.games,
  tombstones: state.tombstones,
  erasures: state.erasures,
  providers: accounts.providers,
  budget_limits: accounts.budgetLimits,
  webhooks: accounts.webhooks,
  event_config: playtests.eventConfig,
  room_settings: playtests.roomSettings,
  feedback_forms: playtests.feedbackForms,
  build_states: playtests.buildStates,
  gates: playtests.gates,
  audiences: playtests.audiences,
  experiments: playtests.experiments,
  playtest_batches: playtests.playtestBatches,
  playtest_keys: testers.playtestKeys,
  tester_invites: testers.testerInvites,
  tester_handles: testers.testerHandles,
  sessions: sessions.sessions,
  session_changes: sessions.sessionChanges,
  event_batches: sessions.eventBatches,
  position_chunks: sessions.positionChunks,
  position_blocks: sessions.positionBlocks,
  position_slices: sessions.positionSlices,
  exposures: testers.exposures,
  feedback_submissions: testers.feedbackSubmissions,
  bug_reports: testers.bugReports,
  chat_threads: testers.chatThreads,
  insights: findings.insights,
  room_times: findings.roomTimes,
  room_references: findings.roomReferences,
  crash_reports: findings.crashReports,
  build_summaries: findings.buildSummaries,
  webhook_deliveries: state.webhookDeliveries,
  kept_deliveries: state.keptDeliveries,
  tester_summaries: findings.testerSummaries,
  summary_queue: findings.summaryQueue,
  experiment_digests: findings.experimentDigests,
  experiment_decisions: playtests.experimentDecisions,
  embeddings: findings.embeddings,
  suggestion_answers: findings.suggestionAnswers,
  event_rollups: sessions.eventRollups,
  event_count_blocks: sessions.eventCountBlocks,
  rate_limits: state.rateLimits,
  budget_uses: state.budgetUses,
  arrivals: state.arrivals,
  refusal_counts: state.refusalCounts,
  program_versions: state.programVersions,
  console_sessions: state.consoleSessions,
  retention_state: state.retentionState,
} as const satisfies Readonly<Record<string, TableDefinition>>;

type Tables = typeof tables;

export type StoredTable = keyof Tables;

/** The name of a table that archives contain. */
export type TableName = {
  [Name in StoredTable]: Tables[Name] extends { readonly archived: false } ? never : Name;
}[StoredTable];

export const storedTables = Object.keys(tables) as StoredTable[];

/** The definition of a table, without the types of its columns. */
export const getTable = (name: StoredTable): TableDefinition => tables[name];

const isArchived = (name: StoredTable): name is TableName => getTable(name).archived !== false;

/** In the order in which archives contain them. */
export const tableNames: readonly TableName[] = storedTables.filter(isArchived);

/** The columns of a table, by name. */
export const listColumns = (name: StoredTable): [name: string, facts: Column["facts"]][] =>
  Object.entries(getTable(name).columns).map(([column, { facts }]) => [column, facts]);

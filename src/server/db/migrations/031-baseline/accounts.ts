/** Accounts with their keys, games and webhooks, and the state of the servers. */
export const accounts = `
create table accounts (id text primary key, name text not null, created_at bigint not null);
create table keys (
  hash text primary key, account_id text not null, kind text not null, game_id text,
  created_at bigint not null, name text, environment text, expires_at bigint, last_used_at bigint
);
create index keys_by_account on keys (account_id, kind);
create table secrets (name text not null primary key, value text not null);
create table audit (
  account_id text not null, id text not null, at bigint not null, action text not null, actor text not null,
  target text, detail text not null, logged integer not null,
  constraint audit_key primary key (account_id, id)
);
create index audit_by_time on audit (at, id);
create index audit_not_logged on audit (at) where logged = 0;
create table games (
  id text primary key, account_id text not null, slug text not null, name text not null,
  created_at bigint not null, sdk_settings text, deletions integer default 0 not null,
  constraint games_by_slug unique (account_id, slug)
);
create table tombstones (
  kind text not null, hash text not null, erased_at bigint not null,
  constraint tombstones_key primary key (kind, hash)
);
create table erasures (
  account_id text not null, id text not null, started_at bigint not null, plan text not null,
  counts text not null, constraint erasures_key primary key (account_id, id)
);
create table providers (
  account_id text not null, kind text not null, base_url text not null, model text not null,
  api_key text not null, timeout_ms integer not null, updated_at bigint not null,
  constraint providers_key primary key (account_id, kind)
);
create table webhooks (
  account_id text not null, id text not null, game_id text, url text not null, format text not null,
  events text not null, secret text not null, created_at bigint not null, lease bigint,
  delivered bigint not null, dropped bigint not null, attempted_at bigint, failing_since bigint,
  last_error text, constraint webhooks_key primary key (account_id, id)
);
create table webhook_deliveries (
  webhook_id text not null, id text not null, game_id text not null, session_id text, player_id text,
  type text not null, body text not null, created_at bigint not null, due_at bigint not null,
  attempts integer not null, constraint webhook_deliveries_key primary key (webhook_id, id)
);
create index webhook_deliveries_by_time on webhook_deliveries (webhook_id, due_at, id);
create index webhook_deliveries_by_session on webhook_deliveries (game_id, session_id);
create table console_sessions (
  hash text primary key, key_hash text not null, created_at bigint not null, expires_at bigint not null
);
create index console_sessions_by_expiry on console_sessions (expires_at);
create index console_sessions_by_key on console_sessions (key_hash, created_at);
create table rate_limits (key text primary key, points integer not null, expire bigint);
create table arrivals (
  account_id text not null, id bigint not null, at bigint not null, game_id text, session_id text,
  seq integer, entries integer not null, total bigint not null, refusals text,
  constraint arrivals_key primary key (account_id, id)
);
create index arrivals_by_time on arrivals (at);
create table refusal_counts (
  account_id text not null, hour bigint not null, reason text not null, refusals bigint not null,
  constraint refusal_counts_key primary key (account_id, hour, reason)
);
create table retention_state (
  id integer primary key, keep_events_ms bigint, keep_sessions_ms bigint, holder text, turn bigint not null,
  game_id text, session_id text, pruned_sessions bigint not null, pruned_events bigint not null,
  deleted_sessions bigint not null, last_pruned_at bigint
);
create table program_versions (id integer primary key, version text not null);
`;

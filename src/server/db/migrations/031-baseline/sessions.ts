/** Sessions with their events and positions, and what the analysis found in them. */
export const sessions = `
create table sessions (
  game_id text not null, id text not null, account_id text not null, environment text not null,
  build text not null, source text not null, status text not null, title text not null,
  tester text not null, tester_handle text, device_id text, client_session_id text, country text,
  region text, city text, recorded_at bigint not null, first_at bigint, last_at bigint,
  wall_ms bigint not null, active_ms bigint not null, metadata text not null, transcript text,
  event_counts text not null, snapshot text, snapshot_at bigint, experiment_tags text not null,
  ended integer not null, next_batch integer not null, analysis_due bigint, analysis_lease bigint,
  analysis_attempts integer not null, item text not null, search text not null, received_at bigint,
  clock_shift bigint, analysis_version integer, reanalysis_due bigint, analysis_error text,
  creation_hash text, events_pruned_at bigint, constraint sessions_key primary key (game_id, id)
);
create index sessions_by_id on sessions (id);
create index sessions_by_device on sessions (game_id, device_id, recorded_at desc, id);
create index sessions_due on sessions (analysis_due);
create unique index sessions_by_client_id on sessions (game_id, client_session_id);
create index sessions_by_account_status on sessions (account_id, status, recorded_at desc, id);
create index sessions_by_account_env on sessions (account_id, environment, recorded_at desc, id);
create index sessions_by_account_build on sessions (account_id, build, recorded_at desc, id);
create index sessions_by_status on sessions (game_id, status, recorded_at desc, id);
create index sessions_by_env on sessions (game_id, environment, recorded_at desc, id);
create index sessions_by_tester_handle on sessions (game_id, tester_handle, recorded_at desc, id);
create index sessions_by_analysis_version on sessions (analysis_version desc, recorded_at desc, id);
create index sessions_by_reanalysis_due on sessions (reanalysis_due);
create unique index sessions_by_creation on sessions (game_id, creation_hash);
create index sessions_to_prune on sessions (recorded_at, id)
  where events_pruned_at is null and next_batch > 0;
create table session_changes (
  game_id text not null, hour bigint not null, changed_at bigint not null,
  constraint session_changes_key primary key (game_id, hour)
);
create index session_changes_by_time on session_changes (game_id, changed_at, hour);
create table event_batches (
  game_id text not null, session_id text not null, seq integer not null, event_count integer not null,
  payload blob not null, received_at bigint default 0 not null,
  constraint event_batches_key primary key (game_id, session_id, seq)
);
create index event_batches_by_arrival on event_batches (game_id, received_at, session_id, seq);
create table position_chunks (
  game_id text not null, session_id text not null, seq integer not null, event text not null,
  source text not null, room text not null, build text not null, environment text not null,
  points integer not null, x_min double precision not null, x_max double precision not null,
  y_min double precision not null, y_max double precision not null, xy blob not null,
  constraint position_chunks_event_key primary key (game_id, session_id, seq, event, room)
);
create index position_chunks_by_room on position_chunks (
  game_id, event, source, room, build, environment, session_id, seq, points, x_min, x_max, y_min, y_max
);
create table position_blocks (
  game_id text not null, id bigint not null, room text not null, build text not null,
  environment text not null, points integer not null, x_min double precision not null,
  x_max double precision not null, y_min double precision not null, y_max double precision not null,
  xy blob not null, event text default 'player_pos' not null,
  source text default 'unity-telemetry' not null, constraint position_blocks_key primary key (game_id, id)
);
create index position_blocks_by_room on position_blocks (
  game_id, event, source, room, build, environment, id, points, x_min, x_max, y_min, y_max
);
create table position_slices (
  game_id text not null, session_id text not null, room text not null, block bigint not null,
  start integer not null, parts text not null, event text default 'player_pos' not null,
  constraint position_slices_key primary key (game_id, session_id, room, block, start)
);
create index position_slices_by_block on position_slices (game_id, block);
create table chat_threads (
  game_id text not null, channel_id text not null, thread_id text not null, session_id text not null,
  called_at bigint not null, constraint chat_threads_key primary key (game_id, channel_id, thread_id)
);
create index chat_threads_by_session on chat_threads (game_id, session_id);
create table insights (
  game_id text not null, id text not null, account_id text not null, session_id text not null,
  build text not null, environment text not null, tester text not null, type text not null,
  sentiment text not null, tag text not null, title text not null, evidence text not null,
  confidence double precision not null, created_at bigint not null, claims text default '[]' not null,
  constraint insights_key primary key (game_id, id)
);
create index insights_by_session on insights (game_id, session_id);
create index insights_by_account_type on insights (account_id, type, created_at desc, id);
create index insights_by_account_build on insights (account_id, build, created_at desc, id);
create index insights_by_type on insights (game_id, type, created_at desc, id);
create index insights_by_build on insights (game_id, build, created_at desc, id);
create table room_times (
  game_id text not null, session_id text not null, room text not null, ms bigint not null,
  recorded_at bigint not null, build text default '' not null, environment text default '' not null,
  longest_ms bigint default 0 not null, completed integer,
  constraint room_times_key primary key (game_id, session_id, room)
);
create index room_times_by_room on room_times (
  game_id, environment, room, build, recorded_at, session_id, ms
);
create table room_references (
  game_id text not null, environment text not null, room text not null, build text, first_at bigint,
  digest text, requeue_after text, constraint room_references_key primary key (game_id, environment, room)
);
create index room_references_to_requeue on room_references (requeue_after);
create table crash_reports (
  game_id text not null, session_id text not null, event_id text not null, reported_at bigint not null,
  name text not null, data text not null, device_id text not null, crashed_ref text not null,
  crashed_session_id text, constraint crash_reports_key primary key (game_id, session_id, event_id)
);
create index crash_reports_by_crashed_session on crash_reports (game_id, crashed_session_id);
create index crash_reports_by_ref on crash_reports (game_id, device_id, crashed_ref);
create table build_summaries (
  game_id text not null, build text not null, environment text not null, narrative text not null,
  generated_at bigint not null, constraint build_summaries_key primary key (game_id, build, environment)
);
create table tester_summaries (
  game_id text not null, device_id text not null, environment text not null, narrative text not null,
  generated_at bigint not null,
  constraint tester_summaries_key primary key (game_id, device_id, environment)
);
create table embeddings (
  account_id text not null, hash text not null, vector blob not null, created_at bigint not null,
  constraint embeddings_key primary key (account_id, hash)
);
create table suggestion_answers (
  game_id text not null, hash text not null, answer text not null, created_at bigint not null,
  constraint suggestion_answers_key primary key (game_id, hash)
);
create table event_rollups (
  game_id text not null, build text not null, environment text not null, day integer not null,
  name text not null, count bigint not null,
  constraint event_rollups_key primary key (game_id, build, environment, day, name)
);
create table event_count_blocks (
  game_id text not null, block integer not null, build text not null, environment text not null,
  names text not null, counts blob not null,
  constraint event_count_blocks_key primary key (game_id, block, build, environment)
);
`;

/** Indexes with all columns of the filters of lists and of the figures of builds, so that rows are counted without being read. */
export const coveringIndexes = `
create index sessions_by_account on sessions (
  account_id, recorded_at desc, id, environment, status, source, build
);
create index sessions_by_time on sessions (game_id, recorded_at desc, id, environment, status, source, build);
create index sessions_by_build on sessions (
  game_id, build, recorded_at desc, id, environment, status, source, tester, analysis_version
);
create index insights_by_account on insights (account_id, created_at desc, id, type, sentiment, build);
create index insights_by_time on insights (game_id, created_at desc, id, type, sentiment, build);
create index insights_by_tag on insights (game_id, build, environment, type, tag, tester, session_id);
`;

/** Counters, so that totals need not count rows. */
export const counters = `
create table session_rollups (
  game_id text not null, build text not null, environment text not null, day integer not null,
  sessions bigint not null, constraint session_rollups_key primary key (game_id, build, environment, day)
);
create table session_counts (
  game_id text not null, build text not null, environment text not null, status text not null,
  source text not null, sessions bigint not null,
  constraint session_counts_key primary key (game_id, build, environment, status, source)
);
create table account_session_counts (
  account_id text not null, environment text not null, status text not null, source text not null,
  game_id text not null, sessions bigint not null,
  constraint account_session_counts_by_game_key primary key (account_id, environment, status, source, game_id)
);
create table account_session_day_counts (
  account_id text not null, day bigint not null, environment text not null, game_id text not null,
  sessions bigint not null,
  constraint account_session_day_counts_by_game_key primary key (account_id, day, environment, game_id)
);
create table insight_counts (
  game_id text not null, build text not null, type text not null, sentiment text not null,
  insights bigint not null, constraint insight_counts_key primary key (game_id, build, type, sentiment)
);
create table account_insight_counts (
  account_id text not null, type text not null, sentiment text not null, game_id text not null,
  insights bigint not null,
  constraint account_insight_counts_by_game_key primary key (account_id, type, sentiment, game_id)
);
create table insight_day_counts (
  game_id text not null, day bigint not null, insights bigint not null,
  constraint insight_day_counts_key primary key (game_id, day)
);
create table account_insight_day_counts (
  account_id text not null, day bigint not null, game_id text not null, insights bigint not null,
  constraint account_insight_day_counts_by_game_key primary key (account_id, day, game_id)
);
create table game_devices (
  game_id text not null, device_id text not null,
  constraint game_devices_key primary key (game_id, device_id)
);
create table game_counts (
  game_id text not null, devices bigint not null, constraint game_counts_key primary key (game_id)
);
create table build_testers (
  game_id text not null, tester text not null, build text not null, facts text not null,
  constraint build_testers_key primary key (game_id, tester, build)
);
create table build_counts (
  game_id text not null, build text not null, environment text not null, kind text not null,
  name text not null, amount bigint not null,
  constraint build_counts_key primary key (game_id, build, environment, kind, name)
);
create index build_counts_empty on build_counts (game_id) where amount = 0;
create table build_durations (
  game_id text not null, build text not null, kind text not null, level integer not null,
  bucket bigint not null, sessions bigint not null,
  constraint build_durations_key primary key (game_id, build, kind, level, bucket)
);
create index build_durations_empty on build_durations (game_id) where sessions = 0;
`;

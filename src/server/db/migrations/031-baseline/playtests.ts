/** What a studio sets up for a game, and what testers send besides telemetry. */
export const playtests = `
create table event_config (
  game_id text not null, name text not null, sdk_ignore integer not null, link_to_summary integer not null,
  hide_from_ai integer not null, meaning text, constraint event_config_key primary key (game_id, name)
);
create table feedback_forms (
  game_id text not null, id text not null, name text not null, fields text not null,
  trigger_hint text not null, active integer not null, created_at bigint not null,
  constraint feedback_forms_key primary key (game_id, id)
);
create table feedback_submissions (
  game_id text not null, id text not null, form_id text not null, session_id text not null,
  request_id text not null, content_hash text not null, form_name text not null, responses text not null,
  submitted_at bigint not null, asked_at_sec double precision, answered_at_sec double precision,
  constraint feedback_submissions_key primary key (game_id, id),
  constraint feedback_submissions_by_request unique (game_id, request_id)
);
create index feedback_submissions_by_form on feedback_submissions (game_id, form_id);
create index feedback_submissions_by_session on feedback_submissions (game_id, session_id);
create table bug_reports (
  game_id text not null, id text not null, session_id text, idempotency_key text not null,
  content_hash text not null, title text not null, description text not null, severity text not null,
  player_id text, build text not null, environment text not null, platform text not null,
  device text not null, created_at bigint not null, constraint bug_reports_key primary key (game_id, id)
);
create unique index bug_reports_by_idempotency_key on bug_reports (game_id, idempotency_key);
create index bug_reports_by_session on bug_reports (game_id, session_id);
create index bug_reports_by_time on bug_reports (game_id, created_at desc, id);
create table audiences (
  game_id text not null, id text not null, name text not null, predicates text not null,
  created_at bigint not null, constraint audiences_key primary key (game_id, id)
);
create table experiments (
  game_id text not null, id text not null, account_id text not null, name text not null,
  status text not null, variants text not null, audience_id text, winner_variant_key text,
  created_at bigint not null, started_at bigint, stopped_at bigint, deleted_at bigint,
  constraint experiments_key primary key (game_id, id)
);
create index experiments_by_id on experiments (id);
create index experiments_by_time on experiments (game_id, created_at desc, id);
create table exposures (
  game_id text not null, experiment_id text not null, session_id text not null, variant_key text not null,
  constraint exposures_key primary key (game_id, experiment_id, session_id, variant_key)
);
create index exposures_by_session on exposures (game_id, session_id);
create table experiment_digests (
  game_id text not null, experiment_id text not null, status text not null, confidence_label text not null,
  digest text not null, generated_at bigint not null,
  constraint experiment_digests_key primary key (game_id, experiment_id)
);
create table experiment_decisions (
  game_id text not null, experiment_id text not null, variant_key text, checked_at bigint not null,
  constraint experiment_decisions_key primary key (game_id, experiment_id)
);
create table playtest_batches (
  game_id text not null, id text not null, name text not null, distribution_target text not null,
  fulfillment_source text not null, redemption_mode text not null, identity_mode text not null,
  share_token text, instructions text, expires_at bigint, created_at bigint not null,
  constraint playtest_batches_key primary key (game_id, id)
);
create table playtest_keys (
  game_id text not null, id text not null, batch_id text not null, fingerprint text not null,
  status text not null, redeemed_at bigint, redeemed_by_email text, redeemed_by_handle text,
  redemption_country text, redemption_user_agent text, redemption_ip text, tester_invite_id text,
  created_at bigint not null, constraint playtest_keys_key primary key (game_id, id),
  constraint playtest_keys_by_fingerprint unique (game_id, fingerprint)
);
create index playtest_keys_by_batch on playtest_keys (game_id, batch_id, created_at, id);
create table tester_invites (
  game_id text not null, id text not null, batch_id text not null, email text not null, personal_note text,
  token_hash text not null, sent_at bigint, opened_at bigint, redeemed_at bigint,
  constraint tester_invites_key primary key (game_id, id),
  constraint tester_invites_by_email unique (game_id, batch_id, email)
);
create table tester_handles (
  game_id text not null, id text not null, handle text not null, key_id text, device_id text,
  claimed_at bigint, claim_token_hash text, created_at bigint not null,
  constraint tester_handles_key primary key (game_id, id),
  constraint tester_handles_by_handle unique (game_id, handle),
  constraint tester_handles_by_device unique (game_id, device_id),
  constraint tester_handles_by_token unique (game_id, claim_token_hash)
);
`;

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

/** Gates that the service decides, and what sends their verdicts: names and tokens of webhooks. */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    `create table gates (
      game_id text not null, id text not null, account_id text not null, a text not null, b text not null,
      environment text not null, commit_hash text, receiver text not null, rules text not null, state text not null,
      opened_at bigint not null, deadline bigint not null, testers bigint not null,
      judged_testers bigint not null,      decided_at bigint, answer text,
      constraint gates_key primary key (game_id, id)
    );`,
    `create index gates_opened on gates (game_id, opened_at, id);
    create index gates_open on gates (game_id, id) where state = 'open';`,
    `alter table webhooks add column name text;
    alter table webhooks add column token text;
    alter table webhook_deliveries add column path text;`,
  ]);

/** The builds whose summaries are to be written. Builds of earlier versions get theirs with their next session. */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    `create table summary_queue (
      game_id text not null, build text not null, environment text not null, queued_at bigint not null,
      due_at bigint not null, is_written integer not null,
      constraint summary_queue_key primary key (game_id, build, environment)
    );
    create index summary_queue_by_due on summary_queue (due_at);`,
  ]);

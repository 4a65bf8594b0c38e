/**
 * What retention last saw of the clock, so that one that was set forward does not delete everything; and an index of the verdicts that
 * wait to be delivered, to find those that servers of the version before have sent.
 */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    "alter table retention_state add column seen_at bigint;",
    "alter table retention_state add column held_until bigint;",
    `create index gates_unsettled on gates (decided_at)
      where state <> 'open' and coalesce(delivery, 'waiting') = 'waiting';`,
  ]);

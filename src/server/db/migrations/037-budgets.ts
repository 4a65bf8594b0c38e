/** Budgets: what keys, games and accounts have used in a day, and their limits. What they bound: enrichments and bursts of messages. */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    `create table budget_uses (
      subject text not null, day bigint not null, budget text not null, used bigint not null,
      constraint budget_uses_key primary key (subject, day, budget)
    );
    create index budget_uses_by_day on budget_uses (day);
    create table budget_limits (
      subject text not null, budget text not null, max_use bigint,
      constraint budget_limits_key primary key (subject, budget)
    );
    alter table sessions add column enrichment_due bigint;
    alter table sessions add column enriched_version bigint;
    create index sessions_by_enrichment_due on sessions (enrichment_due);
    alter table webhooks add column bursts text default '{}' not null;`,
  ]);

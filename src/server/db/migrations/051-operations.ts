/**
 * What operators need when receivers fail: events are kept after they were sent or dropped, so that they can be sent again,
 * secrets are replaced with an overlap, and gates say whether their verdict arrived. And which key expires next.
 */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    "create index keys_by_expiry on keys (expires_at);",
    `alter table webhook_deliveries add column gate_id text;
    alter table webhook_deliveries add column result text;
    alter table webhook_deliveries add column queued_at bigint default 0 not null;
    update webhook_deliveries set queued_at = created_at;
    drop index webhook_deliveries_by_time;
    create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, due_at, id) where result is null;
    create index webhook_deliveries_by_age on webhook_deliveries (queued_at) where result is null;
    create index webhook_deliveries_kept on webhook_deliveries (webhook_id, created_at, id) where result is not null;`,
    `alter table webhooks add column old_secret text;
    alter table webhooks add column old_secret_until bigint;
    alter table webhooks add column kept_since bigint;
    alter table webhooks add column failures text default '{}' not null;
    update webhooks set kept_since = attempted_at;
    alter table gates add column delivery text;
    update gates set delivery = 'delivered' where state <> 'open';`,
  ]);

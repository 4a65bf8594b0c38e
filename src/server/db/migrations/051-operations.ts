/**
 * What operators need when receivers fail: events are kept after they were sent or dropped, so that they can be sent again,
 * secrets are replaced with an overlap, and gates say whether their verdict arrived. Gates count the sessions that were judged, and an
 * index finds which key expires next.
 */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  // A development version has created the column with this name.
  const tables = await db.introspection.getTables();
  const gates = tables.find(({ name, schema }) => name === "gates" && (schema ?? "public") === "public");
  const isNamed = gates?.columns.some(({ name }) => name === "judged_sessions") ?? false;
  if (!isNamed) await runScript(db, ["alter table gates rename column judged_testers to judged_sessions;"]);
  await runScript(db, [
    "create index keys_by_expiry on keys (expires_at);",
    `alter table webhook_deliveries add column gate_id text;
    alter table webhook_deliveries add column replayed_at bigint;
    create index webhook_deliveries_by_age on webhook_deliveries (coalesce(replayed_at, created_at));
    create table kept_deliveries (
      webhook_id text not null, id text not null, game_id text not null, session_id text, player_id text,
      type text not null, path text, body text not null, gate_id text, created_at bigint not null,
      result text not null, constraint kept_deliveries_key primary key (webhook_id, id)
    );
    create index kept_deliveries_by_time on kept_deliveries (webhook_id, created_at, id);
    create index kept_deliveries_by_age on kept_deliveries (created_at);
    create index kept_deliveries_by_session on kept_deliveries (game_id, session_id);`,
    `alter table webhooks add column old_secret text;
    alter table webhooks add column old_secret_until bigint;
    alter table webhooks add column kept_since bigint;
    alter table webhooks add column failures text default '{}' not null;
    update webhooks set kept_since = attempted_at;
    alter table gates add column delivery text;
    update gates set delivery = 'delivered' where state <> 'open';`,
  ]);
}

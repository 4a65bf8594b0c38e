/** A database that was distributed at an earlier version of the schema is updated with its rows. */
import { type Kysely, sql } from "kysely";
import { afterAll, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { openBare } from "../engine.ts";
import { createPostgres030 } from "../fixtures/schema-030.ts";
import { ownDatabase } from "../postgres/databases.ts";

const drops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const drop of drops) await drop();
});

/** Distributes the tables that have a game, as an operator of an earlier version did by hand. */
async function distributeByHand(db: Kysely<unknown>): Promise<void> {
  await sql`select create_reference_table('games')`.execute(db);
  await sql`
    select create_distributed_table(table_name::regclass, 'game_id', colocate_with => 'default')
    from information_schema.columns
    where table_schema = 'public' and column_name = 'game_id' and is_nullable = 'NO'
      and table_name <> 'webhook_deliveries'
    order by table_name
  `.execute(db);
}

it("converts a database of an older version that was distributed by hand", async () => {
  const { address, drop } = await ownDatabase();
  drops.push(drop);
  await createPostgres030(address);
  const db = (await openBare(address)) as unknown as Kysely<unknown>;
  await distributeByHand(db);
  await db.destroy();
  const store = await openStore({ database: address });
  const rows = await store.readDb
    .selectFrom("sessions")
    .innerJoin("event_batches", (join) =>
      join
        .onRef("event_batches.game_id", "=", "sessions.game_id")
        .onRef("event_batches.session_id", "=", "sessions.id"),
    )
    .select("sessions.id")
    .execute();
  expect(rows).toHaveLength(2);
  const { rows: left } = await sql<{ tables: string | null }>`
    select string_agg(c.relname, ' ') as tables from pg_class c join information_schema.columns i on i.table_name = c.relname
    where i.table_schema = 'public' and i.column_name = 'game_id' and i.is_nullable = 'NO' and c.relkind = 'r'
      and c.relname not in ('webhook_deliveries', 'kept_deliveries')
      and not exists (select 1 from pg_dist_partition p where p.logicalrelid = c.oid)
  `.execute(store.readDb);
  expect(left[0]?.tables).toBeNull();
  await store.close();
});

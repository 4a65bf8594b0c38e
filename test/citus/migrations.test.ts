/** A database that was distributed at an earlier version of the schema is updated with its rows. */
import { type Kysely, Migrator, sql } from "kysely";
import { afterAll, expect, it } from "vitest";
import { migrations } from "../../src/server/db/migrations/index.ts";
import { openStore } from "../../src/server/db/open.ts";
import { openBare } from "../engine.ts";
import { ownDatabase } from "../postgres/databases.ts";

/** Migration 014 joins sessions with a table of 005, so both must be distributed, or none. */
const FIRST = "005-providers";
const names = Object.keys(migrations);
const GAMES = ["game_a", "game_b", "game_c", "game_d"];

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

/** Inserts a session into each game, with null or an empty value in the columns that are not given. */
async function insertSessions(db: Kysely<unknown>): Promise<void> {
  for (const id of GAMES) {
    await sql`
      insert into games (id, account_id, slug, name, created_at) values (${id}, 'user_a', ${id}, ${id}, 1)
    `.execute(db);
    await sql`
      insert into sessions (game_id, id, account_id, environment, build, source, status, title, tester, recorded_at,
        wall_ms, active_ms, metadata, event_counts, experiment_tags, ended, next_batch, analysis_attempts, item, search)
      values (${id}, ${`sess_${id}`}, 'user_a', 'production', '1', 'unity-telemetry', 'analyzed', 'One', 'device', 1,
        0, 0, '{}', '{}', '{}', 1, 1, 0, '{}', '')
    `.execute(db);
    await sql`
      insert into event_batches (game_id, session_id, seq, event_count, payload)
      values (${id}, ${`sess_${id}`}, 0, 1, '')
    `.execute(db);
  }
}

it.each(names.slice(names.indexOf(FIRST), -1))("updates a database distributed at %s", async (version) => {
  const { address, drop } = await ownDatabase();
  drops.push(drop);
  const db = (await openBare(address)) as unknown as Kysely<unknown>;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  expect((await migrator.migrateTo(version)).error).toBeUndefined();
  await distributeByHand(db);
  await insertSessions(db);
  await db.destroy();
  const store = await openStore({ database: address });
  const rows = await store.readDb
    .selectFrom("sessions")
    .innerJoin("event_batches", (join) =>
      join
        .onRef("event_batches.game_id", "=", "sessions.game_id")
        .onRef("event_batches.session_id", "=", "sessions.id"),
    )
    .select(["sessions.game_id", "sessions.analysis_version", "event_batches.received_at"])
    .orderBy("sessions.game_id")
    .execute();
  expect(rows.map(({ game_id }) => game_id)).toEqual(GAMES);
  const { rows: left } = await sql<{ tables: string | null }>`
    select string_agg(c.relname, ' ') as tables from pg_class c join information_schema.columns i on i.table_name = c.relname
    where i.table_schema = 'public' and i.column_name = 'game_id' and i.is_nullable = 'NO' and c.relkind = 'r'
      and c.relname <> 'webhook_deliveries'
      and not exists (select 1 from pg_dist_partition p where p.logicalrelid = c.oid)
  `.execute(store.readDb);
  expect(left[0]?.tables).toBeNull();
  await store.close();
});

/** Compares the list of tables with the migrations, so that archives contain every table. */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { readColumns } from "../../../src/server/archive/queries.ts";
import { ephemeralColumns, ephemeralTables, tables } from "../../../src/server/db/tables.ts";
import { listTables } from "../../engine.ts";
import { emptyStore, sqliteStore } from "./archives.ts";

interface ColumnInfo {
  readonly name: string;
  /** Position in the primary key, from 1; 0 if the column is not part of it. */
  readonly pk: number;
}

test("lists all tables and primary keys of the migrations", async () => {
  const store = await sqliteStore();
  const keysByTable: Record<string, string[]> = {};
  for (const { name } of await store.readDb.introspection.getTables()) {
    const { rows } = await sql<ColumnInfo>`select name, pk from pragma_table_info(${name})`.execute(
      store.readDb,
    );
    const key = rows.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    if (!ephemeralTables.some((ephemeral) => ephemeral === name))
      keysByTable[name] = key.map((column) => column.name);
  }
  expect(tables).toEqual(keysByTable);
  await store.close();
});

test("reads all columns of a table, sorted by name", async () => {
  const store = await emptyStore();
  for (const { name, columns } of await listTables(store)) {
    const names = columns.map((column) => column.name).sort();
    expect([name, await readColumns(store.readDb, name as "games")]).toEqual([name, names]);
  }
  await store.close();
});

test("ephemeral columns exist, and are not part of a key", async () => {
  const store = await emptyStore();
  for (const [table, columns] of Object.entries(ephemeralColumns)) {
    const all = await readColumns(store.readDb, table as "games");
    const key: readonly string[] = tables[table as "games"];
    for (const column of columns) expect([all.includes(column), key.includes(column)]).toEqual([true, false]);
  }
  await store.close();
});

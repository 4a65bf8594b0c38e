/** The constant of tables and keys against a database that the migrations made: none is forgotten by an archive. */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { readColumns } from "../../../src/server/archive/queries.ts";
import { ephemeralColumns, ephemeralTables, tables } from "../../../src/server/db/tables.ts";
import { emptyStore, sqliteStore } from "./worlds.ts";

interface ColumnInfo {
  readonly name: string;
  /** The place in the primary key from 1; 0 outside of it. */
  readonly pk: number;
}

test("tables and keys are those of the migrations", async () => {
  const store = await sqliteStore();
  const found: Record<string, string[]> = {};
  for (const { name } of await store.readDb.introspection.getTables()) {
    const { rows } = await sql<ColumnInfo>`select name, pk from pragma_table_info(${name})`.execute(
      store.readDb,
    );
    const key = rows.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    if (!ephemeralTables.some((passing) => passing === name)) found[name] = key.map((column) => column.name);
  }
  expect(tables).toEqual(found);
  await store.close();
});

test("columns are all that a table has, in the order of their names", async () => {
  const store = await emptyStore();
  for (const { name, columns } of await store.readDb.introspection.getTables()) {
    const names = columns.map((column) => column.name).sort();
    expect([name, await readColumns(store.readDb, name as "games")]).toEqual([name, names]);
  }
  await store.close();
});

test("columns that are a process's own are columns, and none of a key", async () => {
  const store = await emptyStore();
  for (const [table, columns] of Object.entries(ephemeralColumns)) {
    const all = await readColumns(store.readDb, table as "games");
    const key: readonly string[] = tables[table as "games"];
    for (const column of columns) expect([all.includes(column), key.includes(column)]).toEqual([true, false]);
  }
  await store.close();
});

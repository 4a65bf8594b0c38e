/** The definitions of the tables say what the migrations create, and fit together. */
import { expect, it } from "vitest";
import { distributionColumns } from "../../../src/server/db/tables/define.ts";
import { getTable, listColumns, storedTables } from "../../../src/server/db/tables.ts";
import { engine } from "../../engine.ts";
import { openTestStore } from "../../harness.ts";
import { readSchema } from "./read-schema.ts";

/** What each engine calls the types. */
const types: Readonly<Record<string, string>> =
  engine === "postgres"
    ? { "text c": "text", bigint: "integer", "double precision": "number", bytea: "bytes" }
    : { text: "text", integer: "integer", bigint: "integer", "double precision": "number", blob: "bytes" };

it("have the tables, columns, types and keys that the migrations create", async () => {
  const store = await openTestStore();
  const schema = await readSchema(store.readDb);
  await store.close();
  const created = Object.entries(schema).map(([name, { key, columns }]) => {
    // SQLite does not say that the columns of a key are required.
    const toColumn = (column: (typeof columns)[number]) =>
      [
        column.name,
        {
          type: types[column.type.toLowerCase()] ?? column.type,
          isNullable: !column.isRequired && !key.includes(column.name),
        },
      ] as const;
    return [name, { key, columns: Object.fromEntries(columns.map(toColumn)) }] as const;
  });
  const defined = storedTables.map((name) => {
    const columns = listColumns(name).map(
      ([column, { type, isNullable = false }]) => [column, { type, isNullable }] as const,
    );
    return [name, { key: getTable(name).key, columns: Object.fromEntries(columns) }] as const;
  });
  expect(Object.fromEntries(defined)).toEqual(Object.fromEntries(created));
});

it.each(storedTables)("%s can be erased, archived and distributed as its definition says", (name) => {
  const { key, erasure, place } = getTable(name);
  const columns = listColumns(name);
  const finders = columns.filter(([, { finders = [] }]) => finders.length > 0);
  if (erasure === "delete" || erasure === "clear") expect(finders.length).toBeGreaterThan(0);
  else expect(finders).toEqual([]);
  // Erasures and archives set these columns to null.
  const emptied = columns.filter(
    ([, { owner, isEphemeral = false }]) => isEphemeral || (erasure === "clear" && owner === "tester"),
  );
  for (const [column, { isNullable = false }] of emptied)
    expect([column, isNullable, key.includes(column)]).toEqual([column, true, false]);
  if (place === "game" || place === "account") expect(key).toContain(distributionColumns[place]);
  else expect(key).not.toContain("game_id");
});

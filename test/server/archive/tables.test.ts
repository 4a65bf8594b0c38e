/** Archives read all columns of a table. */
import { expect, test } from "vitest";
import { readColumns } from "../../../src/server/archive/archive-queries.ts";
import { listTables } from "../../engine.ts";
import { emptyStore } from "./archives.ts";

test("reads all columns of a table, sorted by name", async () => {
  const store = await emptyStore();
  for (const { name, columns } of await listTables(store)) {
    const names = columns.map((column) => column.name).sort();
    expect([name, await readColumns(store.readDb, name as "games")]).toEqual([name, names]);
  }
  await store.close();
});

/** Every table is in the sharding table of docs/scaling.md, and its primary key begins with the distribution column. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ephemeralTables, tables } from "../../../src/server/db/tables.ts";

const text = readFileSync(join(import.meta.dirname, "../../../docs/scaling.md"), "utf8");
const rows = text
  .slice(text.indexOf("## Sharding"))
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** The distribution column of each table in the document. */
const columns = new Map(
  rows.flatMap(([, names = "", by = ""]) =>
    [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => [name, by.replaceAll("`", "")] as const),
  ),
);

it("lists every table once, and no unknown table", () => {
  expect([...columns.keys()].sort()).toEqual([...Object.keys(tables), ...ephemeralTables].sort());
});

it.each(Object.entries(tables))("%s has its distribution column first in its key", (name, key) => {
  const by = columns.get(name) ?? "";
  if (by.startsWith("none"))
    expect(["accounts", "keys", "games", "secrets", "tombstones", "retention_state"]).toContain(name);
  else expect(key[0]).toBe(by);
});

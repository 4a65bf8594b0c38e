/** Every table can be sharded as docs/scaling.md says: what it is distributed by leads its key, and it is in the list. */
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

/** What each table of the document is distributed by. */
const columns = new Map(
  rows.flatMap(([, names = "", by = ""]) =>
    [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => [name, by.replaceAll("`", "")] as const),
  ),
);

it("names every table once, and none that there is not", () => {
  expect([...columns.keys()].sort()).toEqual([...Object.keys(tables), ...ephemeralTables].sort());
});

it.each(Object.entries(tables))("%s has what it is distributed by in front of its key", (name, key) => {
  const by = columns.get(name) ?? "";
  if (by.startsWith("none")) expect(["accounts", "keys", "games"]).toContain(name);
  else expect(key[0]).toBe(by);
});

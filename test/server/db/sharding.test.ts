/** Every table is in the table of docs/scaling.md that says where a sharded database keeps it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Placement } from "../../../src/server/db/tables/define.ts";
import { getTable, storedTables } from "../../../src/server/db/tables.ts";

const text = readFileSync(join(import.meta.dirname, "../../../docs/scaling.md"), "utf8");
const rows = text
  .slice(text.indexOf("## Sharding"))
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** How the document names each place. */
const words: Readonly<Record<Placement, string>> = {
  game: "`game_id`",
  account: "`account_id`",
  everywhere: "a copy on every node",
  coordinator: "the coordinator",
};

/** The place of each table in the document. */
const documented = new Map(
  rows.flatMap(([, names = "", place = ""]) =>
    [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => [name, place] as const),
  ),
);

it("lists every table once, and no unknown table", () => {
  expect([...documented.keys()].sort()).toEqual([...storedTables].sort());
});

it.each(storedTables)("documents where %s is kept", (name) => {
  expect(documented.get(name)).toBe(words[getTable(name).place]);
});

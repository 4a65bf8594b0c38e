/** Every table is in the table of docs/scaling.md that says where a sharded database keeps it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  distributionColumns,
  type Placement,
  placeTable,
  type StoredTable,
} from "../../../src/server/db/placement.ts";
import { ephemeralTables, tableNames, tables } from "../../../src/server/db/tables.ts";

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

const stored: readonly StoredTable[] = [...tableNames, ...ephemeralTables];

it("lists every table once, and no unknown table", () => {
  expect([...documented.keys()].sort()).toEqual([...stored].sort());
});

it.each(stored)("documents where %s is kept", (name) => {
  expect(documented.get(name)).toBe(words[placeTable(name)]);
});

it.each(tableNames)("%s can be distributed: its key has the column that decides", (name) => {
  const placement = placeTable(name);
  const key: readonly string[] = tables[name];
  if (placement === "game" || placement === "account") expect(key).toContain(distributionColumns[placement]);
  else expect(key).not.toContain("game_id");
});

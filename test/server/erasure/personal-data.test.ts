/** Compares the list of personal data with the migrations, so that erasures forget no new table or column. */
import { expect, test } from "vitest";
import { personalData } from "../../../src/server/erasure/personal-data.ts";
import { listTables } from "../../engine.ts";
import { openTestStore } from "../../harness.ts";

/** Windows of rate limits. An erasure of a tester deletes those of devices, and all expire after a minute. */
const UNTYPED_TABLES = ["rate_limits"];

test("lists every table and column of the migrations", async () => {
  const store = await openTestStore();
  const tables = await listTables(store);
  const actual = tables
    .filter(({ name }) => !UNTYPED_TABLES.includes(name))
    .map(({ name, columns }) => [name, columns.map((column) => column.name).sort()] as const);
  const listed = Object.entries(personalData).map(
    ([name, { columns }]) => [name, [...columns].sort()] as const,
  );
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(actual));
  await store.close();
});

test("finds and clears only columns of the table", () => {
  for (const [table, policy] of Object.entries(personalData)) {
    const columns: readonly string[] = policy.columns;
    const used = [
      ...Object.values("found" in policy ? policy.found : {}),
      ...("clears" in policy ? policy.clears : []),
    ];
    expect([table, used.filter((column) => !columns.includes(column))]).toEqual([table, []]);
    expect([table, new Set(columns).size]).toEqual([table, columns.length]);
  }
});

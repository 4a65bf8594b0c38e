/** SQL stands in the queries and the database's own folder alone. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const BUILDS_SQL = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/;

/** The sources outside of the places where SQL belongs that build some. */
function offenders(): string[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/^server\/(db\/|.*queries\.ts$)/.test(path))
    .filter((path) => BUILDS_SQL.test(readFileSync(join(root, "src", path), "utf8")));
}

test("no other source builds SQL", () => {
  expect(offenders()).toEqual([]);
});

test("the queries do, so that the pattern finds it", () => {
  expect(readFileSync(join(root, "src/server/sessions/queries.ts"), "utf8")).toMatch(BUILDS_SQL);
});

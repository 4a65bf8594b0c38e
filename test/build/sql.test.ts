/** Only query files and the database folder contain SQL. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const BUILDS_SQL = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/;

/** Returns source files outside of these locations that build SQL. */
function offenders(): string[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/^server\/(db\/|.*queries\.ts$)/.test(path))
    .filter((path) => BUILDS_SQL.test(readFileSync(join(root, "src", path), "utf8")));
}

test("no other source file builds SQL", () => {
  expect(offenders()).toEqual([]);
});

test("the pattern finds SQL in query files", () => {
  expect(readFileSync(join(root, "src/server/sessions/session-queries.ts"), "utf8")).toMatch(BUILDS_SQL);
});

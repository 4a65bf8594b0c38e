/** The assignment of test files to suites. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chooseSuite, reachableImports, testFiles } from "../suites.ts";

const root = join(import.meta.dirname, "..", "..");

/** Hooks at the top level of a shared file. Without isolation, they only apply to the first test file. */
const TOP_LEVEL_HOOK = /^(before|after)(Each|All)\(/m;

/** Returns the shared files that register hooks when a test file imports them. */
function hooksReachedBy(file: string): string[] {
  const shared = [...reachableImports(file)].filter((name) => /^test\/.*\.ts$/.test(name));
  return shared.filter((name) => TOP_LEVEL_HOOK.test(readFileSync(join(root, name), "utf8")));
}

test.each([
  ["test/render/width.test.ts", "unit"],
  ["test/cli/builds.test.ts", "service"],
  ["test/client/transports.test.ts", "service"],
  ["test/console/hostile.test.ts", "sweeps"],
  ["test/cli/processes.test.ts", "program"],
  ["test/budget/memory.test.ts", "isolated"],
  ["test/server/http/rate-limits.test.ts", "service"],
  ["test/cli/export-kills.test.ts", "long"],
  ["test/server/kill.test.ts", "long"],
  ["test/system/nodes.test.ts", "long"],
  ["test/faults/server-disk.test.ts", "faults"],
  ["test/security/server-access.test.ts", "security"],
  ["test/postgres/server-kills.test.ts", "postgres"],
  ["test/terminal/prompts.test.ts", "system"],
])("%s is in the suite %s", (file, suite) => {
  expect(testFiles()).toContain(file);
  expect(chooseSuite(file)).toBe(suite);
});

test("follows imports through shared files", () => {
  expect([...reachableImports("test/cli/processes.test.ts")]).toEqual(
    expect.arrayContaining(["test/cli/program.ts", "execa", "test/harness.ts"]),
  );
});

test("test files that share a process do not import files that register hooks", () => {
  const sharing = testFiles().filter((file) => /^(unit|service|sweeps)$/.test(chooseSuite(file)));
  expect(sharing.length).toBeGreaterThan(100);
  const offenders = sharing.filter((file) => hooksReachedBy(file).length > 0);
  expect(offenders).toEqual([]);
  // No shared file registers hooks now, so the pattern is tried by itself.
  expect(
    ["import x;\nafterAll(stop);", "  afterAll(stop);"].map((text) => TOP_LEVEL_HOOK.test(text)),
  ).toEqual([true, false]);
});

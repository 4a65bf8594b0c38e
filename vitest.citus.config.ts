import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { chooseSuite, testFiles } from "./test/suites.ts";

const timeouts = { testTimeout: 300_000, hookTimeout: 60_000 };

/** Whether a test starts its own plain Postgres server, or gets in between the service and the only server it knows. */
const needsOwnServer = (file: string) =>
  file.startsWith("test/postgres/") && /startOwnPostgres|hanging/.test(readFileSync(file, "utf8") + file);

/** The tests of the service that open databases, and those of Postgres that another server can run. */
const files = testFiles().filter(
  (file) =>
    /^test\/(server|postgres|citus)\//.test(file) &&
    !file.startsWith("test/server/analysis/provider/") &&
    chooseSuite(file) !== "unit" &&
    !needsOwnServer(file),
);
const isShared = (file: string) => chooseSuite(file) === "service";

/** Runs the tests of the service on the Citus cluster of TEST_CITUS_URLS. */
export default defineConfig({
  test: {
    globalSetup: ["test/folders.ts", "test/build-program.ts", "test/citus/setup.ts"],
    maxWorkers: "100%",
    projects: [
      { test: { ...timeouts, name: "service", include: files.filter(isShared), isolate: false } },
      { test: { ...timeouts, name: "citus", include: files.filter((file) => !isShared(file)) } },
    ],
  },
});

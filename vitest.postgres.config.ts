import { defineConfig } from "vitest/config";
import { suiteOf, testFiles } from "./test/suites.ts";

const timeouts = { testTimeout: 120_000, hookTimeout: 60_000 };

/** The tests of the service that open databases: the rest behaves the same on every engine. */
const files = testFiles().filter(
  (file) =>
    /^test\/(server|mcp)\//.test(file) &&
    !file.startsWith("test/server/analysis/provider/") &&
    suiteOf(file) !== "unit",
);
const isShared = (file: string) => suiteOf(file) === "service";

/** The suite of the service once more, on Postgres: the harness opens a database of its server for each service. */
export default defineConfig({
  test: {
    globalSetup: ["test/folders.ts", "test/build-program.ts", "test/postgres/setup.ts"],
    // Most tests wait for processes, disks and databases: use one more processor than Vitest would.
    maxWorkers: "100%",
    projects: [
      {
        test: { ...timeouts, name: "service", include: files.filter(isShared), isolate: false },
      },
      {
        test: {
          ...timeouts,
          name: "postgres",
          include: [...files.filter((file) => !isShared(file)), "test/postgres/**/*.test.ts"],
        },
      },
    ],
  },
});

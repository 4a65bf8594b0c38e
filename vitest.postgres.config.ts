import { defineConfig } from "vitest/config";

/** The suite of the service once more, on Postgres: the harness opens a database of its server for each service. */
export default defineConfig({
  test: {
    include: ["test/server/**/*.test.ts", "test/mcp/**/*.test.ts", "test/postgres/**/*.test.ts"],
    // What asks no database is the same on every engine.
    exclude: [
      "test/server/analysis/{rules,provider}/**",
      "test/server/analysis/{analyst,waves}.test.ts",
      "test/server/sessions/durations.test.ts",
      "test/server/insights/wording.test.ts",
      "test/server/experiments/{bucketing,statistics}.test.ts",
      "test/server/telemetry/{batch-codec,id-table}.test.ts",
      "test/server/observability/{throttled,without-keys}.test.ts",
    ],
    globalSetup: ["test/folders.ts", "test/postgres/setup.ts"],
    // Most tests wait for processes, disks and databases: a processor more than Vitest would take.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

import { defineConfig } from "vitest/config";
import { chooseSuite, testFiles } from "./test/suites.ts";

const timeouts = { testTimeout: 120_000, hookTimeout: 60_000 };

/** The tests of the service that open databases. All others behave the same on every engine. */
const files = testFiles().filter(
  (file) =>
    /^test\/(server|mcp|claims|console)\//.test(file) &&
    !file.startsWith("test/server/analysis/provider/") &&
    chooseSuite(file) !== "unit",
);
const isShared = (file: string) => chooseSuite(file) === "service";

/** Runs the tests of the service again on Postgres. The harness opens a new Postgres database for each service. */
export default defineConfig({
  test: {
    globalSetup: ["test/folders.ts", "test/build-program.ts", "test/postgres/setup.ts"],
    // Most tests wait for processes, disks and databases, so use all processors. Vitest would leave one free.
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

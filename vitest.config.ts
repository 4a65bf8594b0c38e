import { defineConfig } from "vitest/config";
import { findTestFiles } from "./test/suites.ts";

/** `npm test`: the fast tests, for every change. CONTRIBUTING.md describes the suites. */
export default defineConfig({
  test: {
    // Most tests wait for processes, disks and databases, so use all processors. Vitest would leave one free.
    maxWorkers: "100%",
    globalSetup: ["test/folders.ts"],
    projects: [
      {
        test: { name: "unit", include: findTestFiles("unit"), isolate: false, testTimeout: 60_000 },
      },
      {
        test: {
          name: "service",
          include: findTestFiles("service"),
          // The files of a worker share their modules, so that the service and the command line are loaded only once.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "isolated",
          include: findTestFiles("isolated"),
          globalSetup: ["test/build-program.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});

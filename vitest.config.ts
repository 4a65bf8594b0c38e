import { defineConfig } from "vitest/config";
import { filesOf } from "./test/suites.ts";

/** `npm test`: what a change is checked with while it is written. The suites are described in CONTRIBUTING.md. */
export default defineConfig({
  test: {
    // Most tests wait for processes, disks and databases: use one more processor than Vitest would.
    maxWorkers: "100%",
    globalSetup: ["test/folders.ts"],
    projects: [
      {
        test: { name: "unit", include: filesOf("unit"), isolate: false, testTimeout: 30_000 },
      },
      {
        test: {
          name: "service",
          include: filesOf("service"),
          // Files share a worker's modules: the service and the command line are loaded once, not 120 times.
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "isolated",
          include: filesOf("isolated"),
          globalSetup: ["test/build-program.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});

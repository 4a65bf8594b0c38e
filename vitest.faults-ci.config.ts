import { defineConfig } from "vitest/config";
import { findTestFiles } from "./test/suites.ts";

const timeouts = { testTimeout: 120_000, hookTimeout: 60_000 };

/** Fault and security tests with few rounds: kills, failing and full disks, floods, hostile servers and clients. */
export default defineConfig({
  test: {
    // Most tests wait for processes, disks and sockets, so use all processors. Vitest would leave one free.
    maxWorkers: "100%",
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    projects: [
      { test: { ...timeouts, name: "faults", include: findTestFiles("faults") } },
      { test: { ...timeouts, name: "security", include: findTestFiles("security") } },
    ],
  },
});

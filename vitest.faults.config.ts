import { defineConfig } from "vitest/config";
import { findTestFiles } from "./test/suites.ts";

/** Fault and security tests with many rounds. They take about an hour; CI runs the short form for a few minutes. */
export default defineConfig({
  test: {
    include: findTestFiles("faults", "security"),
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    env: { PLAYTEST_FAULTS: "long" },
    testTimeout: 7_200_000,
    hookTimeout: 600_000,
  },
});

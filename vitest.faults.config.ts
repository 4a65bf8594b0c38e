import { defineConfig } from "vitest/config";
import { filesOf } from "./test/suites.ts";

/** Faults and attacks in their long form: what CI does for minutes, for about an hour. */
export default defineConfig({
  test: {
    include: filesOf("faults", "security"),
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    env: { PLAYTEST_FAULTS: "long" },
    testTimeout: 7_200_000,
    hookTimeout: 600_000,
  },
});

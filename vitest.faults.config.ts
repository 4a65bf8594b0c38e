import { defineConfig } from "vitest/config";

/** Faults and attacks in their long form: what CI does for minutes, for about an hour. */
export default defineConfig({
  test: {
    include: ["test/faults/**/*.test.ts", "test/security/**/*.test.ts"],
    globalSetup: ["test/folders.ts"],
    env: { PLAYTEST_FAULTS: "long" },
    testTimeout: 7_200_000,
    hookTimeout: 600_000,
  },
});

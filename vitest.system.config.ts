import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/system/**/*.test.ts", "test/terminal/**/*.test.ts"],
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    // Most tests wait for other processes, so use all processors. Vitest would leave one free.
    maxWorkers: "100%",
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});

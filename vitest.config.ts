import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/system/**", "test/shells/**", "test/terminal/**", "test/postgres/**"],
    globalSetup: ["test/folders.ts"],
    // Most tests wait for processes, disks and databases: a processor more than Vitest would take.
    maxWorkers: "100%",
    testTimeout: 30_000,
  },
});

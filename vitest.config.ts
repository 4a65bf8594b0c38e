import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/system/**", "test/shells/**", "test/terminal/**", "test/postgres/**"],
    globalSetup: ["test/folders.ts"],
    testTimeout: 30_000,
  },
});

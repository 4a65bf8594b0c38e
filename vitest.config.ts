import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/system/**", "test/shells/**", "test/terminal/**"],
    testTimeout: 30_000,
  },
});

import { defineConfig } from "vitest/config";

/** Tests with the tools of game engines: mono and Godot. */
export default defineConfig({
  test: {
    include: ["test/engines/**/*.test.ts"],
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    passWithNoTests: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

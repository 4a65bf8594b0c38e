import { defineConfig } from "vitest/config";

/** Tests in the real shells: needs bash, zsh, fish and util-linux's script. */
export default defineConfig({
  test: {
    include: ["test/shells/**/*.test.ts"],
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

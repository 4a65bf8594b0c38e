import { defineConfig } from "vitest/config";

/** Tests in real shells. They need bash, zsh, fish and `script` from util-linux. */
export default defineConfig({
  test: {
    include: ["test/shells/**/*.test.ts"],
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

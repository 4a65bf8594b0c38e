import { defineConfig } from "vitest/config";

/** Tests of deploy/ with the real programs: nginx, Caddy, promtool, systemd and strace. */
export default defineConfig({
  test: {
    include: ["test/hosting/**/*.test.ts"],
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

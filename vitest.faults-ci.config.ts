import { defineConfig } from "vitest/config";
import { filesOf } from "./test/suites.ts";

const timeouts = { testTimeout: 120_000, hookTimeout: 60_000 };

/** Faults and attacks in their short form: kills, failing and full disks, floods, hostile servers and clients. */
export default defineConfig({
  test: {
    // Most tests wait for processes, disks and sockets: use one more processor than Vitest would.
    maxWorkers: "100%",
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    projects: [
      { test: { ...timeouts, name: "faults", include: filesOf("faults") } },
      { test: { ...timeouts, name: "security", include: filesOf("security") } },
    ],
  },
});

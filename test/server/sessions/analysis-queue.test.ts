/** Which sessions new data queues, beyond what test/server/telemetry/session-state.test.ts plays. */
import { expect, it } from "vitest";
import { MAX_ATTEMPTS, QUIET_MS, queueNewData } from "../../../src/server/sessions/analysis-queue.ts";

const NOW = 1_772_000_000_000;
const tried = { analysis_attempts: MAX_ATTEMPTS, analysis_runs: 0, analysis_version: null };

it("queues data that arrives during the last attempt, which does not see it", () => {
  const queued = { status: "pending", analysis_due: NOW + QUIET_MS };
  expect(queueNewData({ ...tried, status: "processing" }, NOW)).toEqual(queued);
});

it("queues nothing once all attempts have failed", () => {
  expect(queueNewData({ ...tried, status: "failed" }, NOW)).toEqual({});
});

/** Play time: what builds and testers have in common. */
import * as z from "zod";

/** Play time of a build or a tester. */
export const stats = z
  .object({
    totalWallSec: z.int().describe("Seconds from first to last, over all sessions"),
    totalActiveSec: z.int().describe("Seconds of active play, over all sessions"),
    avgWallSec: z.number().describe("Mean seconds a session"),
    avgActiveSec: z.number().describe("Mean active seconds a session"),
    medianWallSec: z.number().describe("Median seconds a session"),
    medianActiveSec: z.number().describe("Median active seconds a session"),
    engagementRate: z.number().min(0).max(1).describe("Active share of the wall time, 0 to 1"),
  })
  .describe("Play time over sessions");
export type Stats = z.output<typeof stats>;

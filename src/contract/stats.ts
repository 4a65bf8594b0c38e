/** Play time of a build or a tester. */
import * as z from "zod";

export const stats = z
  .object({
    totalWallSec: z.int().describe("Wall time of all sessions, in seconds"),
    totalActiveSec: z.int().describe("Active time of all sessions, in seconds"),
    avgWallSec: z.number().describe("Mean wall time per session, in seconds"),
    avgActiveSec: z.number().describe("Mean active time per session, in seconds"),
    medianWallSec: z.number().describe("Median wall time per session, in seconds"),
    medianActiveSec: z.number().describe("Median active time per session, in seconds"),
    engagementRate: z.number().min(0).max(1).describe("Active time divided by wall time, from 0 to 1"),
  })
  .describe("Play time of the sessions");
export type Stats = z.output<typeof stats>;

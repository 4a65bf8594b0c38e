/** Fields of what is computed: intervals, statistics, and titles of tags. Simple commands do not load them. */
import * as z from "zod";
import { extensionField } from "./fields.ts";

/** The 95% interval of a share, from 0 to 1. */
export const shareInterval = z.object({ low: z.number().min(0).max(1), high: z.number().min(0).max(1) });

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

/** The title of the `tag` in the same object. */
export const tagTitle = extensionField(
  z
    .string()
    .describe("The tag in words, such as `Confusion reported in answers to “Anything else?”`. May change"),
);

/** The titles of a list of tags, in the same order. */
export const tagTitles = extensionField(z.array(z.string()).describe("The tags in words, in the same order"));

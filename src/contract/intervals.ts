/** Confidence intervals in responses. */
import * as z from "zod";

/** The 95% interval of a share, from 0 to 1. */
export const shareInterval = z.object({ low: z.number().min(0).max(1), high: z.number().min(0).max(1) });
export type ShareInterval = z.output<typeof shareInterval>;

/**
 * Query parameters for filters and pages. They are separate from the fields of responses, because creating schemas costs
 * startup time and not every command needs both.
 */
import * as z from "zod";
import { RANGE_ORDER_MESSAGES } from "./errors.ts";
import { text } from "./fields.ts";

/** An environment slug in a query. `all` means no filter. */
export const envFilter = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9_-]+$/, "must be an environment slug (a-z, 0-9, _ and -)")
  .describe("Environment slug (default: all)");

export const gameFilter = text(1, 120).describe("Game ID or slug");
export const buildFilter = text(1, 120).describe("Exact build version (default: all)");

/** The bounds of a time range, both inclusive. */
export const rangeQuery = {
  from: z.int().min(0).optional().describe("Only at or after this time, unix ms"),
  to: z.int().min(0).optional().describe("Only at or before this time, unix ms"),
};

export const pageQuery = {
  limit: z.int().min(1).optional().describe("Maximum number of items (default: 20; capped at 100)"),
  offset: z.int().min(0).optional().describe("Number of items to skip (default: 0)"),
};

/** The number of builds that an answer about several builds covers. */
export const lastBuilds = (initial: number, max: number) =>
  z
    .int()
    .min(1)
    .optional()
    .describe(`Number of builds, the newest ones (default: ${initial}; capped at ${max})`);

const inOrder = (value: unknown): boolean => {
  const { from, to } = value as { from?: unknown; to?: unknown };
  return typeof from !== "number" || typeof to !== "number" || from <= to;
};

/** Adds the rule that `from` is not after `to`. A violation is reported for both fields, along with any other issue. */
export function requireOrderedRange<T extends z.ZodObject>(schema: T): T {
  const when = () => true;
  return schema
    .refine(inOrder, { path: ["from"], error: RANGE_ORDER_MESSAGES.from, when })
    .refine(inOrder, { path: ["to"], error: RANGE_ORDER_MESSAGES.to, when });
}

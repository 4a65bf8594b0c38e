/** What queries narrow and page by. Apart from the fields of answers, for building a schema takes time at every start. */
import * as z from "zod";
import { text } from "./fields.ts";

/** An environment's slug in a query; `all` means no filter. */
export const envFilter = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9_-]+$/, "must be an environment slug: a-z, 0-9, _ and -")
  .describe("Environment slug, or `all`");

export const gameFilter = text(1, 120).describe("Game id or slug");
export const buildFilter = text(1, 120).describe("Build version, matched exactly");

/** The bounds of a time range, both inclusive. */
export const rangeQuery = {
  from: z.int().min(0).optional().describe("Earliest time, inclusive, unix ms"),
  to: z.int().min(0).optional().describe("Latest time, inclusive, unix ms"),
};

export const pageQuery = {
  limit: z.int().min(1).optional().describe("Items a page, 1 to 100, default 20; more is taken as 100"),
  offset: z.int().min(0).optional().describe("Items to pass over, default 0"),
};

const inOrder = (value: unknown): boolean => {
  const { from, to } = value as { from?: unknown; to?: unknown };
  return typeof from !== "number" || typeof to !== "number" || from <= to;
};

/** Adds the rule that `from` is not after `to`; both fields are named when it is broken, beside any other fault. */
export function requireOrderedRange<T extends z.ZodObject>(schema: T): T {
  const when = () => true;
  return schema
    .refine(inOrder, { path: ["from"], error: "from must not be after to", when })
    .refine(inOrder, { path: ["to"], error: "to must not be before from", when });
}

/** The building blocks of the schemas: identifiers, times, open enums, and the marks that tell a strict reader from a lenient one. */
import * as z from "zod";

/** What `strict()` needs to know of a field that the lenient schema does not show. */
export interface Mark {
  /** A field beyond the API document: the service always sends it, a client must not need it. */
  readonly added?: true;
  /** Null when unset: the service sends null, a client takes null or absent alike. */
  readonly nullable?: true;
  /** The known values of an open enum: the service sends these alone, a client shows others as they come. */
  readonly values?: readonly string[];
}

export const marks = z.registry<Mark>();

/** A field that the API document does not list: required of the service, optional to a client. */
export function added<T extends z.ZodType>(schema: T): z.ZodOptional<T> {
  const optional = schema.optional();
  marks.add(optional, { added: true });
  return optional;
}

/** A field that is null when unset; a client takes an absent one as null. */
export function orNull<T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> {
  const nullish = schema.nullish();
  marks.add(nullish, { nullable: true });
  return nullish;
}

/** One of the known values, or one that a later service adds. */
export function openEnum<const V extends string>(values: readonly V[]): z.ZodType<V | (string & {})> {
  const open = z.string();
  marks.add(open, { values });
  return open as unknown as z.ZodType<V | (string & {})>;
}

/** Unix time in milliseconds. */
export const unixMs = z.int();
export const count = z.int().min(0);

const noNul = (value: string) => !value.includes("\0");

/** Text of `min` to `max` characters without NUL. */
export function text(min: number, max: number) {
  return z.string().min(min).max(max).refine(noNul, "must not contain NUL");
}

/** An environment's slug in a query; `all` means no filter. */
export const envFilter = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9_-]+$/, "must be an environment slug: a-z, 0-9, _ and -")
  .describe("Environment slug; `all` for every environment");

/** A path parameter: 1 to 256 characters. */
export const pathText = text(1, 256);
export const gameParam = pathText.describe("Game id or slug");

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

export const MAX_PAGE = 100;
export const DEFAULT_PAGE = 20;

const inOrder = (value: unknown): boolean => {
  const { from, to } = value as { from?: unknown; to?: unknown };
  return typeof from !== "number" || typeof to !== "number" || from <= to;
};

/** Adds the rule that `from` is not after `to`; both fields are named when it is broken, beside any other fault. */
export function ordered<T extends z.ZodObject>(schema: T): T {
  const when = () => true;
  return schema
    .refine(inOrder, { path: ["from"], error: "from must not be after to", when })
    .refine(inOrder, { path: ["to"], error: "to must not be before from", when });
}

/** The answer of a paged list. */
export function page<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), hasMore: z.boolean(), total: count });
}

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

/** The building blocks of the schemas: identifiers, times, open enums, and the marks that tell a strict reader from a lenient one. */
import * as z from "zod";

/** What `strict()` needs to know of a field that the lenient schema does not show. */
export interface FieldMark {
  /** A field beyond the API document: the service always sends it, a client must not need it. */
  readonly added?: true;
  /** Null when unset: the service sends null, a client takes null or absent alike. */
  readonly nullable?: true;
  /** The known values of an open enum: the service sends these alone, a client shows others as they come. */
  readonly values?: readonly string[];
}

export const marks = z.registry<FieldMark>();

/** A field that the API document does not list: required of the service; a client takes null or absent alike. */
export function extensionField<T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> {
  const nullish = schema.nullish();
  marks.add(nullish, { added: true });
  return nullish;
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
  return open as z.ZodType<V | (string & {})>;
}

/** Unix time in milliseconds. */
export const unixMs = z.int();
export const count = z.int().min(0);

const noNul = (value: string) => !value.includes("\0");

/** Text of `min` to `max` characters without NUL. */
export function text(min: number, max: number) {
  return z.string().min(min).max(max).refine(noNul, "must not contain NUL");
}

/** Text that a client sends and that UTF-8 can hold: no lone surrogates. */
export function unicodeText(min: number, max: number) {
  return text(min, max).refine((value) => value.isWellFormed(), "must be well-formed Unicode");
}

/** A path parameter: 1 to 256 characters. */
export const pathText = text(1, 256);
export const gameParam = pathText.describe("Game id or slug");

/** The environment that is meant where none is named. */
export const DEFAULT_ENV = "production";

/** The version of sessions that no client sent a version for: not a build that anyone released. */
export const UNKNOWN_BUILD = "unknown";

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 20;

/** The answer of a paged list. */
export function page<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), hasMore: z.boolean(), total: count });
}

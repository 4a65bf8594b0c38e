/** The building blocks of schemas: text, times, open enums, and the marks that `toStrict` reads. */
import * as z from "zod";

/** How the strict form of a field differs from its lenient schema. See `toStrict`. */
interface FieldMark {
  /** A field beyond the API document. The service always sends it; clients must work without it. */
  readonly added?: true;
  /** The service sends null if the value is unset. Clients treat null and absent the same. */
  readonly nullable?: true;
  /** The unit of a number, such as `s`. A schema with another description keeps it. */
  readonly unit?: string;
  /** The known values of an open enum. The service sends only these; clients show other values unchanged. */
  readonly values?: readonly string[];
}

export const marks = z.registry<FieldMark>();

/** A number with a unit, such as `s` or `percent`. Describe it afterwards. */
export function inUnit<T extends z.ZodType>(schema: T, unit: string): T {
  marks.add(schema, { unit });
  return schema;
}

/** A field that the API document does not list. The service must send it; clients treat null and absent the same. */
export function extensionField<T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> {
  const nullish = schema.nullish();
  marks.add(nullish, { added: true });
  return nullish;
}

/** A field that is null if unset. Clients treat an absent field as null. */
export function orNull<T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> {
  const nullish = schema.nullish();
  marks.add(nullish, { nullable: true });
  return nullish;
}

/** One of the known values, or a value that a newer service adds. */
export function openEnum<const V extends string>(values: readonly V[]): z.ZodType<V | (string & {})> {
  const open = z.string();
  marks.add(open, { values });
  return open as z.ZodType<V | (string & {})>;
}

export const unixMs = z.int();
export const UNIX_MS = "unix ms, UTC";
marks.add(unixMs, { unit: UNIX_MS });
export const count = z.int().min(0);

/** Since when an answer from events is complete. */
export const completeSince = orNull(unixMs).describe(
  "Pruning removed events of sessions that were recorded earlier, unix ms; null if it removed none",
);

const noNul = (value: string) => !value.includes("\0");

/** Text of `min` to `max` characters without NUL characters, which Postgres cannot store. */
export function text(min: number, max: number) {
  return z.string().min(min).max(max).refine(noNul, "must not contain NUL characters");
}

/** Text that can be encoded as UTF-8: it has no lone surrogates. */
export function unicodeText(min: number, max: number) {
  return text(min, max).refine((value) => value.isWellFormed(), "must be well-formed Unicode");
}

/** A path parameter: 1 to 256 characters. */
export const pathText = text(1, 256);
export const gameParam = pathText.describe("Game ID or slug");

/** The environment of telemetry that does not name one, and the default environment of build comparisons and summaries. */
export const DEFAULT_ENV = "production";

/** The environment of an answer as people read it. */
export const describeEnvironment = (environment: string): string =>
  environment === "all" ? "all environments" : environment;

/** A game and an environment, such as `ember · production`. */
export const describeWhere = (game: string, environment: string): string =>
  `${game} · ${describeEnvironment(environment)}`;

/** The build of sessions whose client sent no version. */
export const UNKNOWN_BUILD = "unknown";
/** The platform of sessions whose client sent none. */
export const UNKNOWN_PLATFORM = "unknown";

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 20;

export function page<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    hasMore: z.boolean().describe("Whether there are more pages"),
    total: count.describe("Number of items on all pages"),
  });
}

/** The response header that says when the key of the request stops working, as ISO 8601. */
export const KEY_EXPIRES_HEADER = "x-key-expires-at";

const typeMessages: Readonly<Record<string, string>> = {
  string: "must be a string",
  int: "must be an integer",
  number: "must be a number",
  boolean: "must be true or false",
  array: "must be an array",
  object: "must be an object",
  record: "must be an object",
};

/** Returns `undefined` to use zod's message. Schemas with a message of their own never get here. */
function chooseMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") {
    return issue.input === undefined ? "is required" : typeMessages[issue.expected];
  }
  if (issue.code === "invalid_value") {
    if (issue.input === undefined) return "is required";
    return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
  }
  if (issue.code === "too_small") return describeMinimum(issue);
  return issue.code === "too_big" ? describeMaximum(issue) : undefined;
}

function describeMinimum({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>) {
  if (origin === "string")
    return minimum === 1 ? "must not be empty" : `must be at least ${minimum} characters`;
  if (origin === "array") return minimum === 1 ? "must not be empty" : `must have at least ${minimum} items`;
  return origin === "number" || origin === "int"
    ? `must be ${inclusive ? "at least" : "greater than"} ${minimum}`
    : undefined;
}

function describeMaximum({ origin, maximum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>) {
  if (origin === "string") return `must be at most ${maximum} characters`;
  if (origin === "array") return `must have at most ${maximum} items`;
  return origin === "number" || origin === "int"
    ? `must be ${inclusive ? "at most" : "less than"} ${maximum}`
    : undefined;
}

z.config({ customError: chooseMessage });

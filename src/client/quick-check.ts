/** Checks large responses quickly: plain comparisons instead of the validator, which creates objects for each value. */
import type * as z from "zod";

/** Whether a value is certainly valid. After false, the validator decides. */
type QuickCheck = (value: unknown) => boolean;

type ChecksByType = { readonly [Type in string]?: (definition: Definition) => QuickCheck | null };

/** What the definitions of the supported schemas have in common. */
interface Definition {
  readonly type: string;
  readonly checks?: readonly unknown[] | undefined;
  readonly format?: string;
  readonly coerce?: boolean;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
}

const built = new WeakMap<z.ZodType, QuickCheck>();

/** The quick check of a schema, which is built once. */
export function getQuickCheck(schema: z.ZodType): QuickCheck {
  const known = built.get(schema);
  if (known) return known;
  const check = buildCheck(schema);
  built.set(schema, check);
  return check;
}

function buildCheck(schema: z.ZodType): QuickCheck {
  const definition = schema.def as Definition;
  const isPlain = !definition.checks?.length && !definition.coerce;
  return (isPlain ? checksByType[definition.type]?.(definition) : null) ?? askValidator(schema);
}

/** The validator decides about single values. Large ones are validated in chunks, because it collects all issues. */
function askValidator(schema: z.ZodType): QuickCheck {
  return (value) => (typeof value !== "object" || value === null) && schema.safeParse(value).success;
}

const checksByType: ChecksByType = {
  string: ({ format }) => (format === undefined ? (value) => typeof value === "string" : null),
  number: ({ format }) => {
    if (format === "safeint") return Number.isSafeInteger;
    return format === undefined ? Number.isFinite : null;
  },
  boolean: () => (value) => typeof value === "boolean",
  nullable: ({ innerType }) => {
    const check = innerType && getQuickCheck(innerType);
    return check ? (value) => value === null || check(value) : null;
  },
  optional: ({ innerType }) => {
    const check = innerType && getQuickCheck(innerType);
    return check ? (value) => value === undefined || check(value) : null;
  },
  array: ({ element }) => {
    const check = element && getQuickCheck(element);
    return check ? (value) => Array.isArray(value) && value.every(check) : null;
  },
  object: checkObject,
};

function checkObject({ shape = {}, catchall }: Definition): QuickCheck | null {
  if (catchall !== undefined && catchall.def.type !== "unknown") return null;
  const fields = Object.entries(shape).map(([key, field]) => ({ key, check: getQuickCheck(field) }));
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    for (const { key, check } of fields) if (!check((value as Record<string, unknown>)[key])) return false;
    return true;
  };
}

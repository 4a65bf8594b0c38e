/**
 * Converts a lenient response schema into its strict form, which the service must satisfy: all promised fields, no other
 * fields, and only known values.
 */
import * as z from "zod";
import { marks } from "./fields.ts";

const strictSchemas = new WeakMap<z.ZodType, z.ZodType>();

/** Returns the strict form: added fields are required, unset fields are null, enums and objects are closed. */
export function toStrict(schema: z.ZodType): z.ZodType {
  const cached = strictSchemas.get(schema);
  if (cached) return cached;
  const strict = copyDescription(tighten(schema), schema.description);
  strictSchemas.set(schema, strict);
  return strict;
}

function copyDescription(copy: z.ZodType, description: string | undefined): z.ZodType {
  return description === undefined || copy.description !== undefined ? copy : copy.describe(description);
}

function tighten(schema: z.ZodType): z.ZodType {
  const mark = marks.get(schema);
  if (mark?.values) return z.enum(mark.values as [string, ...string[]]);
  if (schema instanceof z.ZodOptional) {
    const inner = schema.unwrap() as z.ZodType;
    if (mark?.added) return toStrict((inner as z.ZodNullable).unwrap() as z.ZodType);
    return mark?.nullable ? toStrict(inner) : toStrict(inner).optional();
  }
  if (schema instanceof z.ZodNullable) return toStrict(schema.unwrap() as z.ZodType).nullable();
  if (schema instanceof z.ZodArray) return z.array(toStrict(schema.element as z.ZodType));
  if (schema instanceof z.ZodObject) return tightenObject(schema);
  return schema;
}

function tightenObject(schema: z.ZodObject): z.ZodType {
  const shape: Record<string, z.ZodType> = {};
  for (const [key, field] of Object.entries(schema.shape)) shape[key] = toStrict(field as z.ZodType);
  const open = schema.def.catchall !== undefined;
  return open ? z.looseObject(shape) : z.strictObject(shape);
}

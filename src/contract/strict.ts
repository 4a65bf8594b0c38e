/** Turns a lenient schema into what the service itself must answer: every field it promises, none besides, known values alone. */
import * as z from "zod";
import { marks } from "./fields.ts";

const strictSchemas = new WeakMap<z.ZodType, z.ZodType>();

/** The strict form of a response schema: added fields required, unset ones null, open enums closed, unknown fields refused. */
export function toStrict(schema: z.ZodType): z.ZodType {
  const known = strictSchemas.get(schema);
  if (known) return known;
  const made = copyDescription(tighten(schema), schema.description);
  strictSchemas.set(schema, made);
  return made;
}

/** What a schema is about stays said where it had to be made anew. */
function copyDescription(made: z.ZodType, description: string | undefined): z.ZodType {
  return description === undefined || made.description !== undefined ? made : made.describe(description);
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

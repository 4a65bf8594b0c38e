/**
 * Repairs telemetry bodies before they are validated. A whole batch must not be lost because a serializer writes null for
 * fields that are not set, or because a game put something odd into its metadata.
 */
import type * as z from "zod";
import { describeIssue } from "./errors.ts";

/** A body to validate, and a warning for each part that was removed because it is invalid. */
export interface RepairedBody {
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/** The maximum number of warnings about one body. */
const MAX_WARNINGS = 20;

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a serializer wrote a field that is not set. */
const isUnset = (value: unknown) => value === null || value === "";

export function withoutUnset(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => !isUnset(field)));
}

/** Collects warnings about removed parts of a body. */
export class RepairWarnings {
  readonly #warnings: string[] = [];

  add(path: string, message: string): void {
    if (this.#warnings.length < MAX_WARNINGS)
      this.#warnings.push(`${describeIssue(path, message)}. It was ignored.`);
  }

  get all(): readonly string[] {
    return this.#warnings;
  }
}

/** Removes the fields of an object that do not match their schemas, with a warning for each. */
export function removeInvalid(
  value: JsonObject,
  schemas: Readonly<Record<string, z.ZodType>>,
  warnings: RepairWarnings,
  path = "",
): void {
  for (const [name, schema] of Object.entries(schemas)) {
    if (!Object.hasOwn(value, name)) continue;
    const result = schema.safeParse(value[name]);
    if (result.success) continue;
    warnings.add(path + name, result.error.issues[0]?.message ?? "is invalid");
    delete value[name];
  }
}

/** Explains why the service rejected a key: it is of the wrong kind, or unknown. */
import type { ApiKeyKind } from "../contract/define.ts";
import { fail } from "./errors.ts";
import { translateError } from "./translate-error.ts";

const wrongKind = {
  management: {
    message: "This is an ingest key, which cannot read data",
    hint: "Use the management key, or store this key with `playtest login --ingest`.",
  },
  ingest: {
    message: "This is a management key, which cannot send telemetry",
    hint: "Use the ingest key, or store this key with `playtest login` (without --ingest).",
  },
} as const;

/** The error to show when a key was used as one of this kind. Errors that are not about the key are returned unchanged. */
export function explainKeyError(error: unknown, kind: ApiKeyKind): unknown {
  const code = translateError(error)?.code;
  if (code === "forbidden") return fail("forbidden", { ...wrongKind[kind], cause: error });
  if (code !== "unauthorized") return error;
  // The usual hint is to log in, which is what the user is doing.
  return fail("unauthorized", {
    message: "The service does not recognize this key",
    hint: "Copy the complete key again. A management key stops working when it is rotated.",
    cause: error,
  });
}

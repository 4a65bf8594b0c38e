/** What a service's refusal of a key means to whoever gave the key: the wrong kind, or one that it does not know. */
import type { ApiKeyKind } from "../contract/define.ts";
import { fail } from "./errors.ts";
import { translateError } from "./translate-error.ts";

const wrongKind = {
  management: {
    message: "This is an ingest key: it can send telemetry but read nothing",
    hint: "Give the management key, or store this one with --ingest.",
  },
  ingest: {
    message: "This is a management key: it reads, but does not send telemetry",
    hint: "Give the ingest key, or store this one without --ingest.",
  },
} as const;

/** The error to tell where a key was given as one of this kind; other errors stay as they are. */
export function explainKeyError(error: unknown, kind: ApiKeyKind): unknown {
  const code = translateError(error)?.code;
  if (code === "forbidden") return fail("forbidden", { ...wrongKind[kind], cause: error });
  if (code !== "unauthorized") return error;
  // Whoever gives a key needs not be told to log in.
  return fail("unauthorized", {
    message: "The service does not know this key",
    hint: "Copy it again, whole; a key that was rotated no longer works.",
    cause: error,
  });
}

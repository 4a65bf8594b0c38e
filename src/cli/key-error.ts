/** Explains why the service rejected a key: it is of the wrong kind, or unknown. */
import { KEY_EXPIRED } from "../contract/errors.ts";
import type { StoredKeyKind } from "./config-file.ts";
import { fail } from "./errors.ts";
import { keyVariables } from "./settings.ts";
import { translateError } from "./translate-error.ts";

interface WrongKind {
  /** What the key is. Follows "is" or "contains". */
  readonly what: string;
  readonly consequence: string;
  readonly hint: string;
}

/** How to explain that a key is not of the required kind. */
const wrongKind: Readonly<Record<StoredKeyKind, WrongKind>> = {
  management: {
    what: "an ingest key",
    consequence: "which cannot read data",
    hint: "Use the management key, or store this key with `playtest login --ingest`.",
  },
  ingest: {
    what: "a management key",
    consequence: "which cannot send telemetry",
    hint: "Use the ingest key, or store this key with `playtest login` (without --ingest).",
  },
};

/** What to do about a key that the service does not know. Only management keys can be rotated. */
const unknownKeyHint: Readonly<Record<StoredKeyKind, string>> = {
  management: "Copy the complete key again. A management key stops working when it is rotated.",
  ingest: "Copy the complete key again, and check that it is an ingest key of this service.",
};

/**
 * The error to show when a key was used as one of this kind. `source` is where the key is configured; null for a key that
 * the user has just entered. Errors that are not about the key are returned unchanged.
 */
export function explainKeyError(error: unknown, kind: StoredKeyKind, source: string | null = null): unknown {
  const { code, message = "" } = translateError(error) ?? {};
  const key = source === null ? "this key" : `the key from ${source}`;
  if (code === "forbidden")
    return fail("forbidden", { ...describeWrongKind(kind, source, message), cause: error });
  if (code !== "unauthorized") return error;
  if (message.startsWith(KEY_EXPIRED)) {
    return fail("unauthorized", {
      message: `${key[0]?.toUpperCase()}${key.slice(1)} has expired (${message})`,
      hint: "Use another key, or create one with `playtest admin keys create`.",
      cause: error,
    });
  }
  // The usual hint is to log in, which is what the user may be doing.
  return fail("unauthorized", {
    message: `The service does not recognize ${key}`,
    hint: unknownKeyHint[kind],
    cause: error,
  });
}

function describeWrongKind(kind: StoredKeyKind, source: string | null, message: string) {
  const { consequence, hint, ...usual } = wrongKind[kind];
  const what = /, but (a CI key) was sent/.exec(message)?.[1] ?? usual.what;
  if (source === null) return { message: `This is ${what}, ${consequence}`, hint };
  if (source !== keyVariables[kind])
    return { message: `The key from ${source} is ${what}, ${consequence}`, hint };
  const required = kind === "ingest" ? "an ingest key" : "a management key";
  return {
    message: `${source} contains ${what}, ${consequence}`,
    hint: `Set it to ${required}, or unset it.`,
  };
}

/** The result of one check of the doctor. */
import { type CliError, type CliErrorCode, isSignalErrorCode } from "../../errors.ts";
import { translateError } from "../../translate-error.ts";

type CheckFact = string | number | boolean | null;

export interface Check {
  readonly name: string;
  /** `skip` if the check depends on a failed check, or is not needed. */
  readonly status: "ok" | "warn" | "fail" | "skip";
  /** The finding in one line, for people. */
  readonly found: string;
  /** What to do, in one line; null if there is nothing to do. */
  readonly hint: string | null;
  /** The error code of a failed check. The exit code of the doctor is that of the first one. */
  readonly code: CliErrorCode | null;
  /** The details of the finding, for programs. */
  readonly facts: Readonly<Record<string, CheckFact>>;
}

type CheckFacts = Check["facts"];

export function ok(name: string, found: string, facts: CheckFacts = {}): Check {
  return { name, status: "ok", found, hint: null, code: null, facts };
}

export function warn(name: string, found: string, hint: string, facts: CheckFacts = {}): Check {
  return { name, status: "warn", found, hint, code: null, facts };
}

export function skip(name: string, found: string): Check {
  return { name, status: "skip", found, hint: null, code: null, facts: {} };
}

/** A failed check. Rethrows bugs and interruptions. */
export function failFromError(name: string, error: unknown, facts: CheckFacts = {}): Check {
  const { message, hint, code } = toKnownError(error);
  return { name, status: "fail", found: message, hint, code, facts };
}

/** A check whose error is only a warning. Rethrows bugs and interruptions. */
export function warnFromError(name: string, error: unknown, facts: CheckFacts = {}): Check {
  const { message, hint } = toKnownError(error);
  return warn(name, message, hint, facts);
}

function toKnownError(error: unknown): CliError {
  const known = translateError(error);
  if (known === null || isSignalErrorCode(known.code)) throw error;
  return known;
}

/** What one check of the doctor found, and the ways to say so. */
import type { CliError, CliErrorCode } from "../../errors.ts";
import { translateError } from "../../translate-error.ts";

export type CheckFact = string | number | boolean | null;

/** What was looked at, what was found, and what to do about it. */
export interface Check {
  readonly name: string;
  /** `skip` where something else must be mended first, or nothing needs it. */
  readonly status: "ok" | "warn" | "fail" | "skip";
  /** One line, for people. */
  readonly found: string;
  /** One line of what to do; null where there is nothing to do. */
  readonly hint: string | null;
  /** The error of a failed check, whose exit code is the doctor's. */
  readonly code: CliErrorCode | null;
  /** What was measured, for programs. */
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

/** The check that an error stands against. Throws what is no error of the table, and what ends the run. */
export function failFromError(name: string, error: unknown, facts: CheckFacts = {}): Check {
  const { message, hint, code } = toKnownError(error);
  return { name, status: "fail", found: message, hint, code, facts };
}

/** The same error where what it stands against can wait. */
export function warnFromError(name: string, error: unknown, facts: CheckFacts = {}): Check {
  const { message, hint } = toKnownError(error);
  return warn(name, message, hint, facts);
}

function toKnownError(error: unknown): CliError {
  const known = translateError(error);
  if (known === null || known.code === "interrupted" || known.code === "terminated") throw error;
  return known;
}

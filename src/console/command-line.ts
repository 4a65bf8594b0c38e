/** Command lines as people can paste them into a POSIX shell. */
import { parseTime } from "../shared/times.ts";

/** An argument, quoted if a shell would change it. */
export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** The flags with a value. Undefined ones are left out. */
export function toFlags(values: Readonly<Record<string, string | number | undefined>>): string[] {
  return Object.entries(values).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, String(value)],
  );
}

/** The flags with a time. Pages read times without a zone in UTC, and the command line in the zone that it is set to. */
export function toTimeFlags(values: Readonly<Record<string, string | undefined>>): string[] {
  const times = Object.entries(values).map(([flag, text]) => [flag, text && withZone(text)]);
  return toFlags(Object.fromEntries(times));
}

const withZone = (text: string) =>
  /^\d{4}-/.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/i.test(text)
    ? new Date(parseTime(text, 0, "UTC") ?? 0).toISOString()
    : text;

/** Arguments that are not flags, even if they begin like one. They must be last. */
export const toLastArguments = (args: readonly string[]): string[] =>
  args.some((argument) => argument.startsWith("-")) ? ["--", ...args] : [...args];

/** Flags and arguments of commands: how their text is read, and what a refused one says. */
import { AGE_SYNTAX, DURATION_SYNTAX, parseAge, parseDuration } from "../shared/durations.ts";
import { parseTime, TIME_SYNTAX } from "../shared/times.ts";
import { fail } from "./errors.ts";

/** What reading a flag may depend on. */
export interface FlagContext {
  /** Unix ms. */
  readonly now: number;
  /** IANA zone of times that name none. */
  readonly tz: string;
}

/** A flag with the type its text is read into. */
export interface Flag<T> {
  /** As commander writes it, such as `--limit <n>`. */
  readonly flags: string;
  readonly describe: string;
  readonly choices?: readonly string[];
  /** May be given more than once; `read` takes all of them. */
  readonly repeatable?: true;
  /** Takes several of its choices, separated by commas. */
  readonly commaSeparated?: true;
  /** The value: absent, `true` for a switch, or the texts given. */
  read(given: unknown, reading: FlagContext): T;
}

/** The flags of a command, by the names it reads them with. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** The values of a command's flags, each as its flag reads it. */
export type FlagValues<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never;
};

/** A positional argument, such as `<game>` or `[file...]`. */
export interface CommandArgument {
  readonly name: string;
  readonly describe: string;
  /** What completions offer for it; the command itself checks what is given. */
  readonly choices?: readonly string[];
}

function parsedFlag<T>(
  flags: string,
  describe: string,
  parse: (text: string, reading: FlagContext) => T | null,
  allowed: string,
): Flag<T | undefined> {
  return {
    flags,
    describe,
    read(given, reading) {
      if (given === undefined) return undefined;
      const value = parse(String(given), reading);
      if (value === null) throw flagError(flags, String(given), allowed);
      return value;
    },
  };
}

function flagError(flags: string, given: string, allowed: string): Error {
  const name = flags.split(/[ ,]+/).find((part) => part.startsWith("--")) ?? flags;
  return fail("usage", { message: `${name} ${JSON.stringify(given)} is not ${allowed}` });
}

/** Any text but none. */
export function text(flags: string, describe: string): Flag<string | undefined> {
  return parsedFlag(flags, describe, (given) => (given === "" ? null : given), "a text with anything in it");
}

/** A switch. */
export function toggle(flags: string, describe: string): Flag<boolean> {
  return { flags, describe, read: (given) => given === true };
}

/** One of the values. */
export function choice<const V extends string>(
  flags: string,
  describe: string,
  values: readonly V[],
): Flag<V | undefined> {
  const read = parsedFlag(
    flags,
    describe,
    (given) => values.find((value) => value === given) ?? null,
    formatChoices(values),
  );
  return { ...read, choices: values };
}

/** Several of the values, separated by commas. */
export function choices<const V extends string>(
  flags: string,
  describe: string,
  values: readonly V[],
): Flag<V[] | undefined> {
  const parse = (given: string) => {
    const chosen = given.split(",").map((part) => values.find((value) => value === part.trim()));
    return chosen.includes(undefined) ? null : (chosen as V[]);
  };
  return {
    ...parsedFlag(flags, describe, parse, `a list of ${formatChoices(values)}`),
    choices: values,
    commaSeparated: true,
  };
}

const formatChoices = (values: readonly string[]) => `one of ${values.join(", ")}`;

/** A whole number between two bounds. */
export function integer(flags: string, describe: string, min: number, max: number): Flag<number | undefined> {
  const parse = (given: string) => {
    const value = /^-?[0-9]+$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : null;
  };
  const upTo = max === Number.MAX_SAFE_INTEGER ? "or more" : `to ${max}`;
  return parsedFlag(flags, describe, parse, `a whole number, ${min} ${upTo}`);
}

/** A number between two bounds. */
export function number(flags: string, describe: string, min: number, max: number): Flag<number | undefined> {
  const parse = (given: string) => {
    const value = /^-?[0-9]+(\.[0-9]+)?$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : null;
  };
  return parsedFlag(flags, describe, parse, `a number, ${min} to ${max}`);
}

/** A length of time, such as 500ms, 30s, 5m, 2h or 0, in ms. */
export function duration(flags: string, describe: string): Flag<number | undefined> {
  return parsedFlag(flags, describe, parseDuration, DURATION_SYNTAX);
}

/** A point in time as Unix ms: given as ISO 8601, an age such as 7d, or 13-digit Unix ms. */
export function time(flags: string, describe: string): Flag<number | undefined> {
  return parsedFlag(flags, describe, (given, { now, tz }) => parseTime(given, now, tz), TIME_SYNTAX);
}

/** A length of time in larger units, such as 2d, 36h or 0, in ms. */
export function age(flags: string, describe: string): Flag<number | undefined> {
  return parsedFlag(flags, describe, parseAge, AGE_SYNTAX);
}

/** A text that may be given more than once. */
export function list(flags: string, describe: string): Flag<string[]> {
  return {
    flags,
    describe,
    repeatable: true,
    read: (given) => (Array.isArray(given) ? given.map(String) : []),
  };
}

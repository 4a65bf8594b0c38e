/** Flags and arguments of commands: how their text is parsed, and the errors for invalid values. */
import { COUNTRY_CODE, COUNTRY_SYNTAX } from "../shared/countries.ts";
import { AGE_SYNTAX, DURATION_SYNTAX, parseAge, parseDuration } from "../shared/durations.ts";
import { parseSize, SIZE_SYNTAX } from "../shared/sizes.ts";
import { FUTURE_TIME_SYNTAX, parseFutureTime, parseTime, TIME_SYNTAX } from "../shared/times.ts";
import { fail, unknownValue } from "./errors.ts";

/** What parsing a flag may depend on. */
export interface FlagContext {
  /** Unix ms. */
  readonly now: number;
  /** The IANA time zone of times without one. */
  readonly tz: string;
}

/** A flag and the type that its text is parsed into. */
export interface Flag<T> {
  /** In commander's syntax, such as `--limit <n>`. */
  readonly flags: string;
  readonly describe: string;
  readonly choices?: readonly string[];
  /** The flag can be repeated; `read` receives all values. */
  readonly repeatable?: true;
  /** The flag accepts several of its choices, separated by commas. */
  readonly commaSeparated?: true;
  /** Parses what commander read: undefined if absent, true for a switch, otherwise the text or texts. Throws `usage`. */
  read(given: unknown, context: FlagContext): T;
}

/** The flags of a command, by the names that its code uses. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

export type FlagValues<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never;
};

/** A positional argument, such as `<game>` or `[file...]`. */
export interface CommandArgument {
  readonly name: string;
  readonly describe: string;
  /** The values that completions offer. The command itself validates the argument. */
  readonly choices?: readonly string[];
}

function parsedFlag<T>(
  flags: string,
  describe: string,
  parse: (text: string, context: FlagContext) => T | null,
  allowed: string,
): Flag<T | undefined> {
  return {
    flags,
    describe,
    read(given, context) {
      if (given === undefined) return undefined;
      const value = parse(String(given), context);
      if (value === null) throw flagError(flags, `${JSON.stringify(String(given))} is not ${allowed}`);
      return value;
    },
  };
}

function flagError(flags: string, problem: string): Error {
  return fail("usage", { message: `${longName(flags)} ${problem}` });
}

/** The long name of a flag in commander's syntax: `--game` for `-g, --game <game>`. */
export function longName(flags: string): string {
  return flags.split(/[ ,]+/).find((part) => part.startsWith("--")) ?? flags;
}

/** Any text except the empty one. */
export function text(flags: string, describe: string): Flag<string | undefined> {
  return {
    flags,
    describe,
    read(given) {
      if (given === "") throw flagError(flags, "must not be empty");
      return given === undefined ? undefined : String(given);
    },
  };
}

export function toggle(flags: string, describe: string): Flag<boolean> {
  return { flags, describe, read: (given) => given === true };
}

/** A flag such as --no-pairs, whose value is false. Commander sets it to true without the flag, or leaves it out. */
export function negated(flags: string, describe: string): Flag<boolean> {
  return { flags, describe, read: (given) => given !== false };
}

/** What a flag selects, for errors: `status` for `--status <status>`, and `--by` for `--by <width>`. */
function nameChoice(flags: string): string {
  const name = longName(flags);
  return flags.endsWith(`${name} <${name.slice(2)}>`) ? name.slice(2) : name;
}

export function choice<const V extends string>(
  flags: string,
  describe: string,
  values: readonly V[],
): Flag<V | undefined> {
  return {
    flags,
    describe,
    choices: values,
    read(given) {
      if (given === undefined) return undefined;
      const chosen = values.find((value) => value === given);
      if (chosen === undefined) throw unknownValue(nameChoice(flags), String(given), values);
      return chosen;
    },
  };
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
    ...parsedFlag(flags, describe, parse, `a comma-separated list of ${values.join(", ")}`),
    choices: values,
    commaSeparated: true,
  };
}

/** A whole number between two bounds; by default, without an upper one. `what` describes the number in errors. */
export function integer(
  flags: string,
  describe: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
  what = "a whole number",
): Flag<number | undefined> {
  const parse = (given: string) => {
    const value = /^-?[0-9]+$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : null;
  };
  const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  return parsedFlag(flags, describe, parse, `${what} ${range}`);
}

export function number(flags: string, describe: string, min: number, max: number): Flag<number | undefined> {
  const parse = (given: string) => {
    const value = /^-?[0-9]+(\.[0-9]+)?$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : null;
  };
  return parsedFlag(flags, describe, parse, `a number from ${min} to ${max}`);
}

/** A duration such as 500ms, 30s, 5m, 2h or 0, in ms. */
export function duration(flags: string, describe: string): Flag<number | undefined> {
  return parsedFlag(flags, describe, parseDuration, DURATION_SYNTAX);
}

/** A size such as 500MB or 20GB, in bytes. */
export function size(flags: string, describe: string): Flag<number | undefined> {
  return parsedFlag(flags, describe, parseSize, SIZE_SYNTAX);
}

/** A point in time as Unix ms: given as ISO 8601, an age such as 7d, or 13-digit Unix ms. */
export function time(flags: string, describe: string): Flag<number | undefined> {
  return parsedFlag(flags, describe, (given, { now, tz }) => parseTime(given, now, tz), TIME_SYNTAX);
}

/** A point in time ahead, as Unix ms: like `time`, but 7d means 7 days from now. */
export function futureTime(flags: string, describe: string): Flag<number | undefined> {
  const parse = (given: string, { now, tz }: FlagContext) => parseFutureTime(given, now, tz);
  return parsedFlag(flags, describe, parse, FUTURE_TIME_SYNTAX);
}

/** A duration in larger units, such as 2d, 36h or 0, in ms. */
export function age(flags: string, describe: string): Flag<number | undefined> {
  return parsedFlag(flags, describe, parseAge, AGE_SYNTAX);
}

/** A text flag that can be repeated. */
export function list(flags: string, describe: string): Flag<string[]> {
  return {
    flags,
    describe,
    repeatable: true,
    read: (given) => (Array.isArray(given) ? given.map(String) : []),
  };
}

export function country(flags: string, describe: string): Flag<string | undefined> {
  return parsedFlag(flags, describe, (given) => (COUNTRY_CODE.test(given) ? given : null), COUNTRY_SYNTAX);
}

export function countries(flags: string, describe: string): Flag<string[]> {
  const one = country(flags, describe);
  const all = list(flags, describe);
  return {
    ...all,
    read(given, context) {
      const codes = all.read(given, context);
      for (const code of codes) one.read(code, context);
      return codes;
    },
  };
}

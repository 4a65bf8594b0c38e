/** Command lines as people can paste them into a POSIX shell. */

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

/** An argument that is not a flag, even if it begins like one. It must be last. */
export function toLastArgument(argument: string): string[] {
  return argument.startsWith("-") ? ["--", argument] : [argument];
}

/** Values as words of commands that people copy to a shell. */
import { cleanLine } from "./text.ts";

/**
 * A value as one word of a shell command. Null if the command could not be copied: because the terminal shows the value
 * with escapes, because a backtick would end the command in the hint, or because a dash would make it a flag.
 */
export function quoteForShell(value: string): string | null {
  if (value === "" || value.startsWith("-") || value.includes("`") || cleanLine(value) !== value) return null;
  return PLAIN_WORD.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** A word without a meaning for the shell. Some shells replace a word that starts with an equals sign. */
const PLAIN_WORD = /^[\w@%+:,./][\w@%+=:,./-]*$/;

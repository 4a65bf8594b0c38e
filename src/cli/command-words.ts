/** Finds the words of a command line that name a command, before any command is loaded. */
import { takesValue } from "./global-flag-names.prepared.ts";

export interface Word {
  readonly text: string;
  /** Whether the word follows a flag that is not a global one, and may be its value. */
  readonly mayBeValue: boolean;
}

export const isHelpFlag = (word: string): boolean => word === "--help" || word === "-h";

/** The positional words before `--`, without flags and the values of global flags. */
export function extractWords(argv: readonly string[]): Word[] {
  const words: Word[] = [];
  let flag = "";
  for (const text of argv) {
    if (text === "--") break;
    const isFlag = text.startsWith("-");
    if (!isFlag && !takesValue[flag]) {
      const mayBeValue = flag !== "" && !flag.includes("=") && takesValue[flag] === undefined;
      words.push({ text, mayBeValue });
    }
    flag = isFlag && !takesValue[flag] ? text : "";
  }
  return words;
}

/**
 * Follows the words from one command to its subcommand as long as `exists` accepts the path. `unknown` is the first word that
 * is neither in the path nor a possible value; null if there is none.
 */
export function followWords(
  words: readonly Word[],
  exists: (path: string) => boolean,
): { readonly path: string; readonly unknown: string | null } {
  let path = "";
  for (const { text, mayBeValue } of words) {
    const longer = path === "" ? text : `${path} ${text}`;
    if (exists(longer)) path = longer;
    else if (!mayBeValue) return { path, unknown: text };
  }
  return { path, unknown: null };
}

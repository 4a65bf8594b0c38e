/** The words of a command line, as a shell would split them. */
export const splitWords = (line: string): string[] =>
  (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/s, "$2"));

/** Finds what a CI service could run in a log, more strictly than the services do. */

/** What a runner may skip at the start of a line: blanks, invisible characters and color codes. */
const SKIPPED = /^(?:\x1b\[[\d;]*m|[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}])*/u;

/** Returns the lines with a command of GitHub Actions, Azure Pipelines or TeamCity, at every kind of line break. */
export function ciCommandsIn(log: string): string[] {
  return log
    .split(/[\n\v\f\r\x85\u2028\u2029]/)
    .filter((line) => line.replace(SKIPPED, "").startsWith("::") || /##(vso|teamcity)?\[/i.test(line));
}

/** Formats the usage line of a command. */
import type { Command } from "../src/cli/command.ts";

export function formatUsage({ path, args, passThrough }: Command): string {
  const argNames = args.map(({ name }) => ` ${name}`).join("");
  return passThrough ? `playtest ${path} [flags] --${argNames}` : `playtest ${path}${argNames} [flags]`;
}

/** How a command is called, in a line. */
import type { Command } from "../src/cli/command.ts";

export function usageOf({ path, args, passThrough }: Command): string {
  const given = args.map(({ name }) => ` ${name}`).join("");
  return passThrough ? `playtest ${path} [flags] --${given}` : `playtest ${path}${given} [flags]`;
}

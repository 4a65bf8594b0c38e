/** Formats the usage line of a command. */
import type { Command } from "../src/cli/command.ts";

export function formatUsage({ path, args, passThrough }: Command): string {
  const argNames = args.map(({ name }) => ` ${name}`).join("");
  return passThrough ? `playtest ${path} [flags] --${argNames}` : `playtest ${path}${argNames} [flags]`;
}

/** Points to the global flags. Names --json unless a command has its own --format. */
export function globalFlagsHint(commands: readonly Command[]): string {
  const see = "See `playtest help flags`.";
  if (commands.length === 1 && commands[0]?.passThrough)
    return `Global flags of \`${commands[0].path}\` go before \`--\`; flags after it belong to the command. ${see}`;
  const example = commands.some(({ flags }) => Object.hasOwn(flags, "format")) ? "--profile" : "--json";
  return `Global flags such as ${example} and --game also apply. ${see}`;
}

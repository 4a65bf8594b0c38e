/** Computes the help of every command and topic. */
import type { Command as Commander } from "commander";
import type { Command } from "../src/cli/command.ts";
import { globalFlags } from "../src/cli/global-flags.ts";
import { buildProgram, type CommandGroup } from "../src/cli/program.ts";
import { wrapText } from "../src/render/wrap.ts";
import type { Page } from "./reference/page.ts";
import { formatText } from "./reference/text.ts";
import { topicPages } from "./reference/topics.ts";
import { formatUsage, globalFlagsHint } from "./usage.ts";

const WIDTH = 80;
const globalNames = new Set(Object.values(globalFlags).map((flag) => flag.flags));
/** Notes in the help of groups below the first level, by path. */
const groupNotes: Readonly<Record<string, string>> = {
  "admin batches": "To list batches, keys and invites, use `playtest batches`.",
};

/** Returns the help of each command and group by its path, and of the program by "". */
export function commandHelp(all: readonly CommandGroup[], description: string): Record<string, string> {
  const topics = topicPages(all);
  const texts: Record<string, string> = { "": rootHelp(all, topics, description) };
  const program = buildProgram(all, () => {});
  for (const group of all) {
    const node = find(program, group.name);
    texts[group.name] = formatHelp(
      node,
      group.commands.find((command) => command.path === group.name) ?? null,
      group,
    );
    for (const command of group.commands) {
      if (command.path === group.name) continue;
      const words = command.path.split(" ");
      for (let length = 2; length < words.length; length += 1) {
        const path = words.slice(0, length).join(" ");
        texts[path] ??= formatHelp(find(program, path), null, { ...group, name: path });
      }
      texts[command.path] = formatHelp(find(program, command.path), command, group);
    }
  }
  return texts;
}

/** Returns the text of each topic by name. */
export const topicHelp = (all: readonly CommandGroup[]): Record<string, string> =>
  Object.fromEntries(topicPages(all).map((page) => [page.name, formatText(page)]));

/** Finds a command by its path. */
function find(root: Commander, path: string): Commander {
  return path.split(" ").reduce((node, word) => {
    const found = node.commands.find((child) => child.name() === word);
    if (!found) throw new Error(`Unknown command: ${path}`);
    return found;
  }, root);
}

function formatHelp(node: Commander, command: Command | null, group: CommandGroup): string {
  const own = new Set(Object.values(command?.flags ?? {}).map((flag) => flag.flags));
  const isShown = (flags: string) => own.has(flags) || !globalNames.has(flags);
  node.configureHelp({
    helpWidth: WIDTH,
    visibleOptions: (target) => target.options.filter((option) => isShown(option.flags)),
    visibleCommands: (target) => [...target.commands],
    subcommandTerm: (child) =>
      child.name() + child.registeredArguments.map((arg) => ` ${argTerm(arg)}`).join(""),
    subcommandDescription: (child) =>
      child.summary() || child.description() || child.commands.map((command) => command.name()).join(", "),
    commandUsage: () => (command ? formatUsage(command) : `playtest ${group.name} <command> [flags]`),
  });
  const help = node
    .helpInformation()
    .trimEnd()
    .replace(/^Options:$/m, "Flags:");
  const parts = [help];
  if (command && command.examples.length > 0) {
    parts.push(`Examples:\n${command.examples.map((example) => `  playtest ${example}`).join("\n")}`);
  }
  const note = command === null ? groupNotes[group.name] : undefined;
  if (note !== undefined) parts.push(wrapText(note, WIDTH).join("\n"));
  parts.push(wrapText(globalFlagsHint(command === null ? [] : [command]), WIDTH).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

function argTerm(argument: Commander["registeredArguments"][number]): string {
  const name = argument.name() + (argument.variadic ? "..." : "");
  return argument.required ? `<${name}>` : `[${name}]`;
}

function rootHelp(all: readonly CommandGroup[], topics: readonly Page[], description: string): string {
  const rows = all.map((group) => [group.name, group.summary] as const);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const flags = Object.values(globalFlags).map((flag) => [flag.flags, flag.describe] as const);
  const flagWidth = Math.max(...flags.map(([name]) => name.length)) + 2;
  const list = (pairs: readonly (readonly [string, string])[], to: number) =>
    pairs
      .map(([name, describe]) => {
        const lines = wrapText(describe, WIDTH - to - 2);
        return `  ${name.padEnd(to)}${lines.join(`\n${" ".repeat(to + 2)}`)}`;
      })
      .join("\n");
  return [
    description,
    "Usage: playtest <command> [flags]",
    `Commands:\n${list(rows, width)}`,
    `Global flags:\n${list(flags, flagWidth)}`,
    "Get started:\n  playtest login --base-url <url>   log in with a management key of your studio\n" +
      "  playtest server start --demo      run a demo studio on this machine",
    `Help topics (\`playtest help <topic>\`):\n${list(
      topics.map(({ name, summary }) => [name, summary]),
      width,
    )}`,
    "Run `playtest <command> --help` for details and `playtest --version` for the version.\n",
  ].join("\n\n");
}

/** Computes the help of every command and topic. */
import type { Command as Commander } from "commander";
import type { Command } from "../src/cli/command.ts";
import { groupsByHeading } from "../src/cli/commands/index.ts";
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
  const listed = new Set((command?.topic?.flags ?? []).map((key) => command?.flags[key]?.flags));
  const isShown = (flags: string) => (own.has(flags) || !globalNames.has(flags)) && !listed.has(flags);
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
  const [described = "", commands] = help.split(/\n\n(?=Commands:\n)/);
  const parts = [described, ...formatListedFlags(command), ...(commands === undefined ? [] : [commands])];
  if (command && command.examples.length > 0) {
    parts.push(`Examples:\n${command.examples.map((example) => `  playtest ${example}`).join("\n")}`);
  }
  const note = command === null ? groupNotes[group.name] : undefined;
  if (note !== undefined) parts.push(wrapText(note, WIDTH).join("\n"));
  parts.push(wrapText(globalFlagsHint(command === null ? [] : [command]), WIDTH).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

/** The flags of a command that only its topic describes. */
function formatListedFlags(command: Command | null): string[] {
  const { name, flags = [] } = command?.topic ?? {};
  if (flags.length === 0) return [];
  const names = flags.map((key) => (command?.flags[key]?.flags ?? "").replaceAll(" ", "\u00a0"));
  const lines = wrapText(names.join(", "), WIDTH - 2).map((line) => `  ${line.replaceAll("\u00a0", " ")}`);
  return [`More flags, described in \`playtest help ${name}\`:\n${lines.join("\n")}`];
}

function argTerm(argument: Commander["registeredArguments"][number]): string {
  const name = argument.name() + (argument.variadic ? "..." : "");
  return argument.required ? `<${name}>` : `[${name}]`;
}

function rootHelp(all: readonly CommandGroup[], topics: readonly Page[], description: string): string {
  const rows = [...all, ...topics];
  const width = Math.max(...rows.map(({ name }) => name.length)) + 2;
  const list = (items: readonly { readonly name: string; readonly summary: string }[]) =>
    items.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`).join("\n");
  const sections = Object.entries(groupsByHeading).map(
    ([title, names]) => `${title}:\n${list(all.filter(({ name }) => Object.hasOwn(names, name)))}`,
  );
  return [
    description,
    "Usage: playtest <command> [flags]",
    ...sections,
    `Help topics (\`playtest help <topic>\`):\n${list(topics)}`,
    "Get started:\n  playtest server start --demo      run a demo studio on this machine\n" +
      "  playtest login --base-url <url>   log in with a management key of your studio",
    "Run `playtest <command> --help` for the flags of a command.\n",
  ].join("\n\n");
}

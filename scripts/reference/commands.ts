/** The reference pages of commands: one for each group, and one for the program. */
import type { Command } from "../../src/cli/command.ts";
import type { CommandGroup } from "../../src/cli/program.ts";
import { formatUsage, globalFlagsHint } from "../usage.ts";
import {
  type Block,
  code,
  detailBlocks,
  flagTerms,
  heading,
  manualName,
  type Page,
  paragraph,
  terms,
} from "./page.ts";

/** The page of a group: each command with its arguments, flags and examples. */
export function groupPage({ name, summary, commands }: CommandGroup): Page {
  return {
    name,
    section: 1,
    summary,
    blocks: [
      heading("Synopsis"),
      code(commands.map(formatUsage)),
      heading("Commands"),
      ...commands.flatMap(commandBlocks),
      heading("Other flags"),
      paragraph(globalFlagsHint(commands)),
      ...seeAlso(["", "exit-codes", "formatting"]),
    ],
  };
}

function commandBlocks(command: Command): Block[] {
  const { path, summary, details, args, flags, examples } = command;
  return [
    heading(`playtest ${path}`, 2),
    paragraph(summary.endsWith(".") ? summary : `${summary}.`),
    code([formatUsage(command)]),
    ...detailBlocks(details),
    ...terms(
      ["argument", "meaning"],
      args.map(({ name, describe }) => [name, describe]),
    ),
    ...flagTerms(Object.values(flags)),
    ...(examples.length === 0
      ? []
      : [paragraph("Examples:"), code(examples.map((line) => `playtest ${line}`))]),
  ];
}

/** The page of the program: its groups and the topics. */
export function programPage(
  groups: readonly CommandGroup[],
  topics: readonly Page[],
  description: string,
): Page {
  return {
    name: "",
    section: 1,
    summary: description,
    blocks: [
      heading("Synopsis"),
      code(["playtest <command> [flags]", "playtest <command> --help", "playtest help <topic>"]),
      heading("Commands"),
      ...terms(
        ["command", "description"],
        groups.map(({ name, summary }) => [`playtest ${name}`, summary]),
      ),
      heading("Topics"),
      ...terms(
        ["topic", "description"],
        topics.map(({ name, summary }) => [`playtest help ${name}`, summary]),
      ),
      ...seeAlso([...groups.map(({ name }) => name), ...topics.map(({ name }) => name)]),
    ],
  };
}

function seeAlso(names: readonly string[]): Block[] {
  const pages = names.map((name) => `\`man ${manualName(name)}\``);
  return [heading("See also"), paragraph(`${pages.join(", ")}.`)];
}

/** Builds commander's program from command definitions: one group for parsing, or the whole tree for help and docs. */
import { Command as Commander, Option } from "commander";
import { askDidYouMean, isNear } from "../shared/similar-names.ts";
import type { Command } from "./command.ts";
import { extractWords, followWords } from "./command-words.ts";
import { fail } from "./errors.ts";
import { type Flag, type FlagContext, longName } from "./flags.ts";
import { globalFlags } from "./global-flags.ts";

/** A parsed command line: the command, its arguments, and its flags as text. */
export interface ParsedCommandLine {
  readonly command: Command;
  readonly args: readonly string[];
  /** The command's own flags and the global flags, by key. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** A group of commands that share their first word. A command of one word forms its own group. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

type OnCommand = (command: Command, args: readonly string[], leaf: Commander) => void;

/** Builds commander's tree from the groups. */
export function buildProgram(groups: readonly CommandGroup[], onCommand: OnCommand): Commander {
  // Help is printed before anything is parsed. A line with --help that gets here contains an unknown command.
  const root = new Commander("playtest")
    .enablePositionalOptions()
    .helpCommand(false)
    .helpOption(false)
    .exitOverride();
  root.configureOutput({ writeOut: () => {}, writeErr: () => {} });
  addFlags(root, globalFlags);
  for (const group of groups) {
    const [first] = group.commands;
    if (group.commands.length === 1 && first?.path === group.name) {
      addCommand(root, group.name, first, onCommand);
      continue;
    }
    const parent = root.command(group.name).summary(group.summary).description(group.summary);
    parent.enablePositionalOptions().helpCommand(false);
    // A group can also be a command, such as `gate`, which has the subcommand `gate init`.
    const own = group.commands.find((command) => command.path === group.name);
    if (own) fillCommand(parent, own, onCommand);
    else addFlags(parent, globalFlags);
    for (const command of group.commands) {
      if (command === own) continue;
      const words = command.path.split(" ").slice(1);
      const leaf = words.pop() ?? group.name;
      addCommand(findOrCreateNode(parent, words), leaf, command, onCommand);
    }
  }
  return root;
}

/** The node for these words below a parent. Missing nodes are created. */
function findOrCreateNode(parent: Commander, words: readonly string[]): Commander {
  return words.reduce((node, word) => {
    const known = node.commands.find((child) => child.name() === word);
    if (known) return known;
    const created = node.command(word).enablePositionalOptions().helpCommand(false);
    addFlags(created, globalFlags);
    return created;
  }, parent);
}

function addCommand(parent: Commander, name: string, command: Command, onCommand: OnCommand): void {
  fillCommand(parent.command(name).summary(command.summary), command, onCommand);
}

function fillCommand(leaf: Commander, command: Command, onCommand: OnCommand): void {
  leaf.description(command.details ? `${command.summary}\n\n${command.details}` : command.summary);
  for (const { name: argument, describe } of command.args) leaf.argument(argument, describe);
  addFlags(leaf, command.flags);
  addFlags(leaf, globalFlags);
  if (command.passThrough) leaf.passThroughOptions();
  leaf.action(() => onCommand(command, leaf.args, leaf));
}

function addFlags(target: Commander, flags: Readonly<Record<string, Flag<unknown>>>): void {
  for (const flag of Object.values(flags)) {
    const option = getOption(flag);
    if (!target.options.some((known) => known.long === option.long)) target.addOption(option);
  }
}

const optionsByFlag = new WeakMap<Flag<unknown>, Option>();

/** Commander's option for a flag. Commands that share a flag share the option. */
function getOption(flag: Flag<unknown>): Option {
  const known = optionsByFlag.get(flag);
  if (known) return known;
  const option = new Option(flag.flags, flag.describe);
  if (flag.repeatable)
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  optionsByFlag.set(flag, option);
  return option;
}

/** Parses a command line. Throws `usage` if it is invalid. */
export function parseCommandLine(
  argv: readonly string[],
  groups: readonly CommandGroup[],
): ParsedCommandLine {
  let parsed: ParsedCommandLine | null = null;
  const program = buildProgram(groups, (command, args, leaf) => {
    const given: Record<string, unknown> = {};
    for (const source of listAncestors(leaf))
      collectFlags(source, { ...globalFlags, ...command.flags }, given);
    parsed = { command, args, given };
  });
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    throw usageError(error, argv, program);
  }
  if (!parsed) throw fail("usage", { message: "No command specified", hint: "See `playtest --help`." });
  return parsed;
}

/** A node and its ancestors, the root first. */
function listAncestors(leaf: Commander): Commander[] {
  return leaf.parent ? [...listAncestors(leaf.parent), leaf] : [leaf];
}

function collectFlags(
  source: Commander,
  flags: Readonly<Record<string, Flag<unknown>>>,
  into: Record<string, unknown>,
): void {
  const values = source.opts();
  for (const [key, flag] of Object.entries(flags)) {
    const value: unknown = values[getOption(flag).attributeName()];
    if (value !== undefined) into[key] = value;
  }
}

function usageError(error: unknown, argv: readonly string[], root: Commander): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (!code?.startsWith("commander.") || message === undefined) return error;
  const path = findPath(argv, root);
  if (code === "commander.help") {
    return fail("usage", {
      message: `\`playtest ${path}\` requires a subcommand`,
      hint: `See \`playtest ${path} --help\`.`,
    });
  }
  const [text, names = []] = describeParseError(code, message);
  return fail("usage", {
    message: text,
    hint: `See \`playtest ${path === "" ? "" : `${path} `}--help\`.`,
    suggestion: askDidYouMean(names),
  });
}

/** Commander's message in the words of the help, which calls an option a flag, and the names that were probably meant. */
function describeParseError(code: string, message: string): [text: string, names?: readonly string[]] {
  const [, flags = ""] = /^error: option '([^']+)' argument missing$/.exec(message) ?? [];
  if (code === "commander.optionMissingArgument" && flags !== "")
    return [`${longName(flags)} requires a value`];
  const [text = "", question = ""] = message.split("\n(Did you mean ");
  const [, word = ""] = /'([^']*)'/.exec(text) ?? [];
  return [
    text
      .replace(/^error: /, "")
      .replace(/^unknown option/, "unknown flag")
      .replaceAll("'", '"')
      .replace(/^./, (letter) => letter.toUpperCase()),
    findNearNames(
      word,
      question
        .replace(/^one of /, "")
        .replace(/\?\)$/, "")
        .split(", "),
    ),
  ];
}

/** The names for which at most one third of the word's characters would have to change. */
function findNearNames(word: string, names: readonly string[]): string[] {
  const withoutDashes = (name: string) => name.replace(/^--/, "");
  return names.filter((name) => name !== "" && isNear(withoutDashes(word), withoutDashes(name)));
}

/** The path of the group or command that a command line names, without arguments and unknown words. */
function findPath(argv: readonly string[], root: Commander): string {
  const find = (node: Commander | undefined, word: string) =>
    node?.commands.find((child) => child.name() === word);
  return followWords(
    extractWords(argv),
    (path) => path.split(" ").reduce<Commander | undefined>(find, root) !== undefined,
  ).path;
}

/** The error for an unknown command, with a suggestion from commander. */
export function unknownCommand(name: string, known: readonly string[]): unknown {
  const root = new Commander("playtest").helpCommand(false).exitOverride();
  root.configureOutput({ writeErr: () => {} });
  for (const word of known) root.command(word);
  try {
    root.parse([name], { from: "user" });
    return new RangeError(`${name} is a command`);
  } catch (error) {
    return usageError(error, [], root);
  }
}

/** Parses the text of flags into their values. Throws `usage`. */
export function readFlags<T>(
  flags: Readonly<Record<string, Flag<unknown>>>,
  given: Readonly<Record<string, unknown>>,
  { now, tz }: FlagContext,
): T {
  const values = Object.entries(flags).map(([key, flag]) => [key, flag.read(given[key], { now, tz })]);
  return Object.fromEntries(values) as T;
}

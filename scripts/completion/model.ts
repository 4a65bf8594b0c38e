/** The model of the completion scripts: the tree of commands, and the values that flags and arguments accept. */
import type { Command } from "../../src/cli/command.ts";
import type { CommandArgument, Flag } from "../../src/cli/flags.ts";
import { globalFlags } from "../../src/cli/global-flags.ts";
import type { CommandGroup } from "../../src/cli/program.ts";

/**
 * The values that a flag or an argument accepts, as the scripts read them: literal words, `@files`, `@command` (a program),
 * and `@games` or another kind of name that `playtest __complete` lists. A leading `,` marks a comma-separated list.
 */
export type Spec = readonly string[];

/** A word and its description. */
export interface DescribedWord {
  readonly word: string;
  readonly describe: string;
}

/** A flag: its names, and the values that it accepts (null if it accepts none). */
export interface Switch {
  readonly names: readonly string[];
  readonly describe: string;
  readonly spec: Spec | null;
}

/** A group of commands, a command, or both. */
export interface Node {
  /** The words of the command; empty for the root. */
  readonly path: string;
  readonly children: DescribedWord[];
  readonly switches: readonly Switch[];
  readonly operands: readonly Spec[];
  /** Whether the last operand can be repeated. */
  readonly repeats: boolean;
}

/** The values that a placeholder accepts. */
const placeholders: Readonly<Record<string, Spec>> = {
  file: ["@files"],
  command: ["@command"],
  game: ["@games"],
  session: ["@sessions"],
  batch: ["@batches"],
  experiment: ["@experiments"],
  version: ["@builds"],
};

/** Arguments also accept these aliases of builds. */
const BUILD: Spec = ["@builds", "latest", "previous"];
/** The values that do not follow from the placeholder, by command and argument or by flag. */
const exceptions: Readonly<Record<string, Spec>> = {
  "builds get <version>": BUILD,
  "builds compare [a]": BUILD,
  "builds compare [b]": BUILD,
  "gate [a]": BUILD,
  "gate [b]": BUILD,
  "report [a]": BUILD,
  "report [b]": BUILD,
  "builds suggestions [build]": BUILD,
  "builds suggestions [newer-build]": BUILD,
  "admin sessions retry <id>": ["@sessions"],
  "admin sessions transcript <id>": ["@sessions"],
  "--profile": ["@profiles"],
};

/** Builds the nodes of the groups. The root is first. */
export function buildNodes(groups: readonly CommandGroup[], topics: readonly DescribedWord[]): Node[] {
  const nodes = new Map<string, Node>();
  const root = emptyNode("");
  nodes.set("", root);
  for (const { name, summary, commands } of groups) {
    root.children.push({ word: name, describe: summary });
    for (const command of commands) addCommand(nodes, command);
  }
  root.children.push({ word: "help", describe: "Show help for a command or topic" });
  nodes.set("help", { ...emptyNode("help"), children: [...topics] });
  return [...nodes.values()];
}

const emptyNode = (path: string): Node => ({
  path,
  children: [],
  switches: [],
  operands: [],
  repeats: false,
});

function addCommand(nodes: Map<string, Node>, command: Command): void {
  const words = command.path.split(" ");
  for (let length = 1; length < words.length; length += 1) {
    const path = words.slice(0, length).join(" ");
    const node = nodes.get(path) ?? emptyNode(path);
    nodes.set(path, node);
    const word = words[length] ?? "";
    const describe = length === words.length - 1 ? command.summary : `Commands about ${word}`;
    if (!node.children.some((child) => child.word === word)) node.children.push({ word, describe });
  }
  nodes.set(command.path, {
    path: command.path,
    children: nodes.get(command.path)?.children ?? [],
    switches: buildSwitches(command.flags),
    operands: command.args.map((argument) => findSpec(command.path, argument)),
    repeats: command.args.at(-1)?.name.includes("...") ?? false,
  });
}

function buildSwitches(flags: Readonly<Record<string, Flag<unknown>>>): Switch[] {
  return Object.values(flags).map((flag) => {
    const names = flag.flags.split(/[ ,]+/).filter((part) => part.startsWith("-"));
    const [placeholder] = /[<[].*/.exec(flag.flags) ?? [];
    const known = exceptions[names.at(-1) ?? ""] ?? placeholders[readNoun(placeholder ?? "")] ?? [];
    const list = flag.commaSeparated ? [","] : [];
    const spec = flag.choices ? [...list, ...flag.choices] : known;
    return { names, describe: flag.describe, spec: placeholder === undefined ? null : spec };
  });
}

function findSpec(path: string, { name, choices }: CommandArgument): Spec {
  return choices ?? exceptions[`${path} ${name}`] ?? placeholders[readNoun(name)] ?? [];
}

/** The word in a placeholder. */
function readNoun(placeholder: string): string {
  return placeholder.replace(/[^a-z]/g, "");
}

/** Formats a spec as text. Throws a RangeError for a word that a shell would not read as a single plain word. */
export function formatSpec(spec: Spec): string {
  for (const word of spec)
    if (!/^(,|@?[A-Za-z0-9][\w.-]*)$/.test(word)) throw new RangeError(`Not a plain word: ${word}`);
  return spec.join(" ");
}

/** Groups flags that accept the same values, by the text of their spec. */
export function groupBySpec(switches: readonly Switch[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { names, spec } of switches) {
    if (spec === null) continue;
    const text = formatSpec(spec);
    groups.set(text, [...(groups.get(text) ?? []), ...names]);
  }
  return groups;
}

/** The flags of every command. */
export const globalSwitches: readonly Switch[] = [
  ...buildSwitches(globalFlags),
  { names: ["-h", "--help"], describe: "show help for this command", spec: null },
];

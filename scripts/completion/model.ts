/** What the shells' scripts are made from: the tree of commands as nodes, and the values that flags and arguments take. */
import type { Command } from "../../src/cli/command.ts";
import type { CommandArgument, Flag } from "../../src/cli/flags.ts";
import { globalFlags } from "../../src/cli/global-flags.ts";
import type { CommandGroup } from "../../src/cli/program.ts";

/**
 * What may stand in one place, in the words the scripts read: literal words, `@files`, `@command` (a program), `@games`
 * and the other names that `playtest __complete` lists; a leading `,` where they make a list separated by commas.
 */
export type Spec = readonly string[];

/** A word with what it is for. */
export interface Told {
  readonly word: string;
  readonly describe: string;
}

/** A flag of a node: each of its names, and what it takes; null for a switch. */
export interface Switch {
  readonly names: readonly string[];
  readonly describe: string;
  readonly takes: Spec | null;
}

/** Where words lead: a group, a command, or both. */
export interface Node {
  /** Its words; empty for the root. */
  readonly path: string;
  readonly children: Told[];
  readonly switches: readonly Switch[];
  readonly operands: readonly Spec[];
  /** Whether the last operand may be given again. */
  readonly repeats: boolean;
}

/** What a placeholder stands for. */
const placeholders: Readonly<Record<string, Spec>> = {
  file: ["@files"],
  command: ["@command"],
  game: ["@games"],
  session: ["@sessions"],
  batch: ["@batches"],
  experiment: ["@experiments"],
  version: ["@builds"],
};

/** A build that is an argument may be told by its place too. */
const BUILD: Spec = ["@builds", "latest", "previous"];
/** What the placeholder does not tell, by the command and the argument or flag. */
const exceptions: Readonly<Record<string, Spec>> = {
  "builds get <version>": BUILD,
  "builds compare <a>": BUILD,
  "builds compare <b>": BUILD,
  "builds suggestions <build>": BUILD,
  "builds suggestions [b]": BUILD,
  "admin sessions retry <id>": ["@sessions"],
  "admin sessions transcript <id>": ["@sessions"],
  "--profile": ["@profiles"],
};

/** The nodes of the groups, the root first. */
export function nodesOf(groups: readonly CommandGroup[], topics: readonly Told[]): Node[] {
  const nodes = new Map<string, Node>();
  const root = bare("");
  nodes.set("", root);
  for (const { name, summary, commands } of groups) {
    root.children.push({ word: name, describe: summary });
    for (const command of commands) addCommand(nodes, command);
  }
  root.children.push({ word: "help", describe: "More of a command or a topic" });
  nodes.set("help", { ...bare("help"), children: [...topics] });
  return [...nodes.values()];
}

const bare = (path: string): Node => ({ path, children: [], switches: [], operands: [], repeats: false });

function addCommand(nodes: Map<string, Node>, command: Command): void {
  const words = command.path.split(" ");
  for (let length = 1; length < words.length; length += 1) {
    const path = words.slice(0, length).join(" ");
    const node = nodes.get(path) ?? bare(path);
    nodes.set(path, node);
    const word = words[length] ?? "";
    const describe = length === words.length - 1 ? command.summary : `Commands about ${word}`;
    if (!node.children.some((child) => child.word === word)) node.children.push({ word, describe });
  }
  nodes.set(command.path, {
    path: command.path,
    children: nodes.get(command.path)?.children ?? [],
    switches: switchesOf(command.flags),
    operands: command.args.map((argument) => specOf(command.path, argument)),
    repeats: command.args.at(-1)?.name.includes("...") ?? false,
  });
}

function switchesOf(flags: Readonly<Record<string, Flag<unknown>>>): Switch[] {
  return Object.values(flags).map((flag) => {
    const names = flag.flags.split(/[ ,]+/).filter((part) => part.startsWith("-"));
    const [placeholder] = /[<[].*/.exec(flag.flags) ?? [];
    const known = exceptions[names.at(-1) ?? ""] ?? placeholders[nounOf(placeholder ?? "")] ?? [];
    const list = flag.commaSeparated ? [","] : [];
    const takes = flag.choices ? [...list, ...flag.choices] : known;
    return { names, describe: flag.describe, takes: placeholder === undefined ? null : takes };
  });
}

function specOf(path: string, { name, choices }: CommandArgument): Spec {
  return choices ?? exceptions[`${path} ${name}`] ?? placeholders[nounOf(name)] ?? [];
}

/** The word in a placeholder. */
function nounOf(placeholder: string): string {
  return placeholder.replace(/[^a-z]/g, "");
}

/** A spec as one text. Throws for a word that a shell would read as more than a word. */
export function specText(spec: Spec): string {
  for (const word of spec)
    if (!/^(,|@?[A-Za-z0-9][\w.-]*)$/.test(word)) throw new RangeError(`Not a plain word: ${word}`);
  return spec.join(" ");
}

/** Flags that take the same, by the spec's text: of one node, or of every command. */
export function takenBy(switches: readonly Switch[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { names, takes } of switches) {
    if (takes === null) continue;
    const text = specText(takes);
    found.set(text, [...(found.get(text) ?? []), ...names]);
  }
  return found;
}

/** The flags of every command. */
export const globalSwitches: readonly Switch[] = [
  ...switchesOf(globalFlags),
  { names: ["-h", "--help"], describe: "more of this command", takes: null },
];

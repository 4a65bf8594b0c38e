/** The tables of the script for fish: words with what they are for, a tab between. */
import { globalSwitches, type Node, type Switch, specText, type Told, takenBy } from "./model.ts";

const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** The tables that the script reads. */
export function fishTables(nodes: readonly Node[]): string {
  return [
    `set -g __playtest_global ${told(globalSwitches)}`,
    "",
    "# Prints the children, switches, operands or repeats of a node; fails where there is no such node.",
    "function __playtest_node --argument-names node part",
    '    switch "$node|$part"',
    ...nodes.flatMap(nodeLines),
    "        case '*'",
    `            contains -- $node ${nodes.map(({ path }) => quoted(path)).join(" ")}`,
    "    end",
    "end",
    "",
    "# Prints what a flag takes; fails where it takes nothing.",
    "function __playtest_value --argument-names node flag",
    '    switch "$node|$flag"',
    ...nodes.flatMap(({ path, switches }) => taken(switches, (name) => quoted(`${path}|${name}`))),
    ...taken(globalSwitches, (name) => quoted(`*|${name}`)),
    "        case '*'",
    "            return 1",
    "    end",
    "end",
    "",
  ].join("\n");
}

function nodeLines({ path, children, switches, operands, repeats }: Node): string[] {
  const parts: (readonly [part: string, texts: string])[] = [
    ["children", children.map(described).join(" ")],
    ["switches", told(switches)],
    ["operands", operands.map((spec) => quoted(specText(spec))).join(" ")],
    ["repeats", repeats ? "yes" : ""],
  ];
  return parts
    .filter(([, texts]) => texts !== "")
    .flatMap(([part, texts]) => [
      `        case ${quoted(`${path}|${part}`)}`,
      `            printf '%s\\n' ${texts}`,
    ]);
}

/** What fish takes for a candidate: the word, a tab, and the text. */
const described = ({ word, describe }: Told) => `${quoted(word)}\\t${quoted(describe)}`;

const told = (switches: readonly Switch[]) =>
  switches.flatMap(({ names, describe }) => names.map((word) => described({ word, describe }))).join(" ");

function taken(switches: readonly Switch[], pattern: (name: string) => string): string[] {
  return [...takenBy(switches)].flatMap(([spec, names]) => [
    `        case ${names.map(pattern).join(" ")}`,
    `            echo ${quoted(spec)}`,
  ]);
}

/** Generates the tables of the fish script: words and their descriptions, separated by tabs. */
import {
  type DescribedWord,
  formatSpec,
  globalSwitches,
  groupBySpec,
  type Node,
  type Switch,
} from "./model.ts";

const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Returns the tables that the script reads. */
export function fishTables(nodes: readonly Node[]): string {
  return [
    `set -g __playtest_global ${formatSwitches(globalSwitches)}`,
    "",
    "# Prints the children, switches, operands or repeats of a node. Fails if the node does not exist.",
    "function __playtest_node --argument-names node part",
    '    switch "$node|$part"',
    ...nodes.flatMap(nodeLines),
    "        case '*'",
    `            contains -- $node ${nodes.map(({ path }) => quote(path)).join(" ")}`,
    "    end",
    "end",
    "",
    "# Prints the spec of the values of a flag. Fails if the flag has no value.",
    "function __playtest_value --argument-names node flag",
    '    switch "$node|$flag"',
    ...nodes.flatMap(({ path, switches }) => valueLines(switches, (name) => quote(`${path}|${name}`))),
    ...valueLines(globalSwitches, (name) => quote(`*|${name}`)),
    "        case '*'",
    "            return 1",
    "    end",
    "end",
    "",
  ].join("\n");
}

function nodeLines({ path, children, switches, operands, repeats }: Node): string[] {
  const parts: (readonly [part: string, texts: string])[] = [
    ["children", children.map(formatWord).join(" ")],
    ["switches", formatSwitches(switches)],
    ["operands", operands.map((spec) => quote(formatSpec(spec))).join(" ")],
    ["repeats", repeats ? "yes" : ""],
  ];
  return parts
    .filter(([, texts]) => texts !== "")
    .flatMap(([part, texts]) => [
      `        case ${quote(`${path}|${part}`)}`,
      `            printf '%s\\n' ${texts}`,
    ]);
}

/** Formats a candidate for fish: the word, a tab and the description. */
const formatWord = ({ word, describe }: DescribedWord) => `${quote(word)}\\t${quote(describe)}`;

const formatSwitches = (switches: readonly Switch[]) =>
  switches.flatMap(({ names, describe }) => names.map((word) => formatWord({ word, describe }))).join(" ");

function valueLines(switches: readonly Switch[], pattern: (name: string) => string): string[] {
  return [...groupBySpec(switches)].flatMap(([spec, names]) => [
    `        case ${names.map(pattern).join(" ")}`,
    `            echo ${quote(spec)}`,
  ]);
}

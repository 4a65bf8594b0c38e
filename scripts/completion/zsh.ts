/** Generates the tables of the zsh script: words and their descriptions. */
import {
  type DescribedWord,
  formatSpec,
  globalSwitches,
  groupBySpec,
  type Node,
  type Switch,
} from "./model.ts";

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the tables that the script reads. */
export function zshTables(nodes: readonly Node[]): string {
  return [
    `typeset -ga _playtest_global=(${formatSwitches(globalSwitches)})`,
    "",
    "_playtest_node() {",
    "  children=() switches=() operands=() repeats=''",
    "  case $1 in",
    ...nodes.flatMap(nodeLines),
    "    (*) return 1 ;;",
    "  esac",
    "}",
    "",
    "_playtest_value() {",
    '  case "$1|$2" in',
    ...nodes.flatMap(({ path, switches }) => valueLines(switches, (name) => quote(`${path}|${name}`))),
    ...valueLines(globalSwitches, (name) => `*${quote(`|${name}`)}`),
    "    (*) return 1 ;;",
    "  esac",
    "}",
    "",
  ].join("\n");
}

function nodeLines({ path, children, switches, operands, repeats }: Node): string[] {
  const lines = [`    (${quote(path)})`];
  if (children.length > 0) lines.push(`      children=(${children.map(formatWord).join(" ")})`);
  if (switches.length > 0) lines.push(`      switches=(${formatSwitches(switches)})`);
  if (operands.length > 0)
    lines.push(`      operands=(${operands.map((spec) => quote(formatSpec(spec))).join(" ")})`);
  if (repeats) lines.push("      repeats=1");
  return [...lines, "      ;;"];
}

/** Formats a word for `_describe`: the word, a colon and the description. */
const formatWord = ({ word, describe }: DescribedWord) => quote(`${word}:${describe}`);

const formatSwitches = (switches: readonly Switch[]) =>
  switches.flatMap(({ names, describe }) => names.map((word) => formatWord({ word, describe }))).join(" ");

function valueLines(switches: readonly Switch[], pattern: (name: string) => string): string[] {
  return [...groupBySpec(switches)].map(
    ([spec, names]) => `    (${names.map(pattern).join("|")}) spec=${quote(spec)} ;;`,
  );
}

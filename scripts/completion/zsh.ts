/** The tables of the script for zsh: words with what they are for. */
import { globalSwitches, type Node, type Switch, specText, type Told, takenBy } from "./model.ts";

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The tables that the script reads. */
export function zshTables(nodes: readonly Node[]): string {
  return [
    `typeset -ga _playtest_global=(${told(globalSwitches)})`,
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
    ...nodes.flatMap(({ path, switches }) => taken(switches, (name) => quoted(`${path}|${name}`))),
    ...taken(globalSwitches, (name) => `*${quoted(`|${name}`)}`),
    "    (*) return 1 ;;",
    "  esac",
    "}",
    "",
  ].join("\n");
}

function nodeLines({ path, children, switches, operands, repeats }: Node): string[] {
  const lines = [`    (${quoted(path)})`];
  if (children.length > 0) lines.push(`      children=(${children.map(described).join(" ")})`);
  if (switches.length > 0) lines.push(`      switches=(${told(switches)})`);
  if (operands.length > 0)
    lines.push(`      operands=(${operands.map((spec) => quoted(specText(spec))).join(" ")})`);
  if (repeats) lines.push("      repeats=1");
  return [...lines, "      ;;"];
}

/** What `_describe` takes: the word, a colon, and the text. */
const described = ({ word, describe }: Told) => quoted(`${word}:${describe}`);

const told = (switches: readonly Switch[]) =>
  switches.flatMap(({ names, describe }) => names.map((word) => described({ word, describe }))).join(" ");

function taken(switches: readonly Switch[], pattern: (name: string) => string): string[] {
  return [...takenBy(switches)].map(
    ([spec, names]) => `    (${names.map(pattern).join("|")}) spec=${quoted(spec)} ;;`,
  );
}

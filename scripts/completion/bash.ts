/** The tables of the script for bash: words alone, for bash shows no descriptions. */
import { globalSwitches, type Node, type Switch, specText, takenBy } from "./model.ts";

const quoted = (text: string) => `'${text}'`;

/** The tables that the script reads. */
export function bashTables(nodes: readonly Node[]): string {
  return [
    `_playtest_global=${quoted(globalSwitches.flatMap(({ names }) => names).join(" "))}`,
    "",
    "_playtest_node() {",
    "  children='' switches='' operands=() repeats=''",
    '  case "$1" in',
    ...nodes.map((node) => `    ${quoted(node.path)}) ${assigned(node).join(" ")} ;;`),
    "    *) return 1 ;;",
    "  esac",
    "}",
    "",
    "_playtest_value() {",
    '  case "$1|$2" in',
    ...nodes.flatMap(({ path, switches }) => taken(switches, (name) => quoted(`${path}|${name}`))),
    ...taken(globalSwitches, (name) => `*${quoted(`|${name}`)}`),
    "    *) return 1 ;;",
    "  esac",
    "}",
    "",
  ].join("\n");
}

function assigned({ children, switches, operands, repeats }: Node): string[] {
  const parts: string[] = [];
  if (children.length > 0) parts.push(`children=${quoted(children.map(({ word }) => word).join(" "))}`);
  if (switches.length > 0) parts.push(`switches=${quoted(switches.flatMap(({ names }) => names).join(" "))}`);
  if (operands.length > 0)
    parts.push(`operands=(${operands.map((spec) => quoted(specText(spec))).join(" ")})`);
  if (repeats) parts.push("repeats=1");
  return parts;
}

function taken(switches: readonly Switch[], pattern: (name: string) => string): string[] {
  return [...takenBy(switches)].map(
    ([spec, names]) => `    ${names.map(pattern).join("|")}) spec=${quoted(spec)} ;;`,
  );
}

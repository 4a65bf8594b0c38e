/** Generates the tables of the bash script. They have no descriptions, because bash does not show any. */
import { formatSpec, globalSwitches, groupBySpec, type Node, type Switch } from "./model.ts";

const quote = (text: string) => `'${text}'`;

/** Returns the tables that the script reads. */
export function bashTables(nodes: readonly Node[]): string {
  return [
    `_playtest_global=${quote(globalSwitches.flatMap(({ names }) => names).join(" "))}`,
    "",
    "_playtest_node() {",
    "  children='' switches='' operands=() repeats=''",
    '  case "$1" in',
    ...nodes.map((node) => `    ${quote(node.path)}) ${assignments(node).join(" ")} ;;`),
    "    *) return 1 ;;",
    "  esac",
    "}",
    "",
    "_playtest_value() {",
    '  case "$1|$2" in',
    ...nodes.flatMap(({ path, switches }) => valueLines(switches, (name) => quote(`${path}|${name}`))),
    ...valueLines(globalSwitches, (name) => `*${quote(`|${name}`)}`),
    "    *) return 1 ;;",
    "  esac",
    "}",
    "",
  ].join("\n");
}

function assignments({ children, switches, operands, repeats }: Node): string[] {
  const parts: string[] = [];
  if (children.length > 0) parts.push(`children=${quote(children.map(({ word }) => word).join(" "))}`);
  if (switches.length > 0) parts.push(`switches=${quote(switches.flatMap(({ names }) => names).join(" "))}`);
  if (operands.length > 0)
    parts.push(`operands=(${operands.map((spec) => quote(formatSpec(spec))).join(" ")})`);
  if (repeats) parts.push("repeats=1");
  return parts;
}

function valueLines(switches: readonly Switch[], pattern: (name: string) => string): string[] {
  return [...groupBySpec(switches)].map(
    ([spec, names]) => `    ${names.map(pattern).join("|")}) spec=${quote(spec)} ;;`,
  );
}

/** Generates the tables of the PowerShell script: words and their descriptions, separated by tabs. */
import {
  type DescribedWord,
  formatSpec,
  globalSwitches,
  groupBySpec,
  type Node,
  type Switch,
} from "./model.ts";

/** Quotes a text. PowerShell also treats typographic quotes as the end of a string, so they are replaced. */
function quote(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, "''")}'`;
}

/** Returns the tables that the script reads. */
export function powershellTables(nodes: readonly Node[]): string {
  return [
    `$script:PlaytestGlobal = ${formatSwitches(globalSwitches)}`,
    "",
    "$script:PlaytestNodes = @{",
    ...nodes.map(nodeLine),
    "}",
    "",
    "$script:PlaytestValues = @{",
    ...nodes.flatMap(({ path, switches }) => valueLines(path, switches)),
    ...valueLines("*", globalSwitches),
    "}",
    "",
  ].join("\n");
}

function nodeLine({ path, children, switches, operands, repeats }: Node): string {
  const parts = [
    `Children = ${list(children.map(formatWord))}`,
    `Switches = ${formatSwitches(switches)}`,
    `Operands = ${list(operands.map((spec) => quote(formatSpec(spec))))}`,
    `Repeats = ${repeats ? "$true" : "$false"}`,
  ];
  return `    ${quote(path)} = @{ ${parts.join("; ")} }`;
}

const list = (texts: readonly string[]) => `@(${texts.join(", ")})`;
const formatWord = ({ word, describe }: DescribedWord) => quote(`${word}\t${describe}`);

const formatSwitches = (switches: readonly Switch[]) =>
  list(switches.flatMap(({ names, describe }) => names.map((word) => formatWord({ word, describe }))));

function valueLines(path: string, switches: readonly Switch[]): string[] {
  return [...groupBySpec(switches)].flatMap(([spec, names]) =>
    names.map((name) => `    ${quote(`${path}|${name}`)} = ${quote(spec)}`),
  );
}

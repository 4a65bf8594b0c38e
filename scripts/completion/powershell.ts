/** The tables of the script for PowerShell: words with what they are for, a tab between. */
import { globalSwitches, type Node, type Switch, specText, type Told, takenBy } from "./model.ts";

/** PowerShell ends such a text at a typographic quote too: none may stand in it. */
function quoted(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, "''")}'`;
}

/** The tables that the script reads. */
export function powershellTables(nodes: readonly Node[]): string {
  return [
    `$script:PlaytestGlobal = ${told(globalSwitches)}`,
    "",
    "$script:PlaytestNodes = @{",
    ...nodes.map(nodeLine),
    "}",
    "",
    "$script:PlaytestValues = @{",
    ...nodes.flatMap(({ path, switches }) => taken(path, switches)),
    ...taken("*", globalSwitches),
    "}",
    "",
  ].join("\n");
}

function nodeLine({ path, children, switches, operands, repeats }: Node): string {
  const parts = [
    `Children = ${list(children.map(described))}`,
    `Switches = ${told(switches)}`,
    `Operands = ${list(operands.map((spec) => quoted(specText(spec))))}`,
    `Repeats = ${repeats ? "$true" : "$false"}`,
  ];
  return `    ${quoted(path)} = @{ ${parts.join("; ")} }`;
}

const list = (texts: readonly string[]) => `@(${texts.join(", ")})`;
const described = ({ word, describe }: Told) => quoted(`${word}\t${describe}`);

const told = (switches: readonly Switch[]) =>
  list(switches.flatMap(({ names, describe }) => names.map((word) => described({ word, describe }))));

function taken(path: string, switches: readonly Switch[]): string[] {
  return [...takenBy(switches)].flatMap(([spec, names]) =>
    names.map((name) => `    ${quoted(`${path}|${name}`)} = ${quoted(spec)}`),
  );
}

/** The shells' scripts: the tables of the commands, and behind them what reads them, a file a shell. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandGroup } from "../../src/cli/program.ts";
import { bashTables } from "./bash.ts";
import { fishTables } from "./fish.ts";
import { type Node, nodesOf, type Told } from "./model.ts";
import { powershellTables } from "./powershell.ts";
import { zshTables } from "./zsh.ts";

const NOTE =
  "# Completions of playtest. Made by `npm run generate`; `playtest help completion` says how to install them.";

/** By the script's name in completions/: what makes its tables, what reads them, and its first line. */
const shells: Readonly<Record<string, readonly [(nodes: readonly Node[]) => string, string, string]>> = {
  "playtest.bash": [bashTables, "runtime.bash", NOTE],
  _playtest: [zshTables, "runtime.zsh", `#compdef playtest\n${NOTE}`],
  "playtest.fish": [fishTables, "runtime.fish", NOTE],
  "playtest.ps1": [powershellTables, "runtime.ps1", NOTE],
};

/** The scripts by their paths in the repository. */
export function completionScripts(
  groups: readonly CommandGroup[],
  topics: readonly Told[],
): Record<string, string> {
  const nodes = nodesOf(groups, topics);
  const scripts = Object.entries(shells).map(([name, [tables, runtime, head]]) => {
    const behind = readFileSync(join(import.meta.dirname, runtime), "utf8");
    return [`completions/${name}`, `${head}\n\n${tables(nodes)}\n${behind}`];
  });
  return Object.fromEntries(scripts);
}

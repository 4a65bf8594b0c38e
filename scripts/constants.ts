/** The constants that the program answers with before any command is loaded. */
import { globalFlags } from "../src/cli/global-flags.ts";
import type { CommandGroup } from "../src/cli/program.ts";

export function constants(all: readonly CommandGroup[], version: string): string {
  const flags = [globalFlags, ...all.flatMap((group) => group.commands.map((command) => command.flags))];
  const taking = flags
    .flatMap((set) => Object.values(set))
    .filter((flag) => /[<[]/.test(flag.flags))
    .flatMap((flag) => flag.flags.split(/[ ,]+/).filter((part) => part.startsWith("-")));
  const names = [...new Set(taking)].sort();
  return [
    "/** Made by `npm run generate`: what is answered before any command is loaded. */",
    `export const version = ${JSON.stringify(version)};`,
    `/** The flags that a value follows. */`,
    `export const valueFlags: readonly string[] = ${JSON.stringify(names)};`,
    "",
  ].join("\n");
}

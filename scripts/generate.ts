/** Writes what is derived from the commands and the contract: help texts, constants and the OpenAPI document. With --check it only tells what is stale. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command as Commander } from "commander";
import type { Command } from "../src/cli/command.ts";
import { lazyGroups, loadGroups } from "../src/cli/commands/index.ts";
import { globalFlags } from "../src/cli/global-flags.ts";
import { buildProgram, type Group } from "../src/cli/program.ts";
import { type Examples, openApiDocument } from "../src/contract/openapi.ts";
import { demoExamples } from "./openapi-examples.ts";

const root = join(import.meta.dirname, "..");
const { version, description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  description: string;
};

const WIDTH = 80;
const globalNames = new Set(Object.values(globalFlags).map((flag) => flag.flags));
const GLOBAL_HINT =
  "Every command also takes the flags of `playtest --help`: --json, --game, --profile and others.";

const examples = await demoExamples();
const groups = await loadGroups(Object.keys(lazyGroups));
const outputs: Record<string, string> = {
  "src/cli/constants.generated.ts": constants(groups),
  "src/cli/help.generated.ts": helps(groups),
  "src/contract/openapi-examples.generated.ts": examplesFile(examples),
  "docs/openapi.json": `${JSON.stringify(openApiDocument(examples), null, 2)}\n`,
};

const stale: string[] = [];
for (const [path, content] of Object.entries(outputs)) {
  const file = join(root, path);
  let before = "";
  try {
    before = readFileSync(file, "utf8");
  } catch {}
  if (before === content) continue;
  stale.push(path);
  if (!process.argv.includes("--check")) writeFileSync(file, content);
}
if (process.argv.includes("--check") && stale.length > 0) {
  console.error(`Stale: ${stale.join(", ")}. Run \`npm run generate\`.`);
  process.exitCode = 1;
}

function examplesFile(all: Examples): string {
  return [
    "/** Made by `npm run generate`: what the demo studio answers, for the OpenAPI document. */",
    `export const examples: Readonly<Record<string, unknown>> = ${JSON.stringify(all, null, 2)};`,
    "",
  ].join("\n");
}

function constants(all: readonly Group[]): string {
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

function helps(all: readonly Group[]): string {
  const texts: Record<string, string> = { "": rootHelp(all) };
  const program = buildProgram(all, () => {});
  for (const group of all) {
    const node = find(program, group.name);
    texts[group.name] = helpOf(
      node,
      group.commands.find((command) => command.path === group.name) ?? null,
      group,
    );
    for (const command of group.commands) {
      if (command.path === group.name) continue;
      const words = command.path.split(" ");
      for (let length = 2; length < words.length; length += 1) {
        const path = words.slice(0, length).join(" ");
        texts[path] ??= helpOf(find(program, path), null, { ...group, name: path });
      }
      texts[command.path] = helpOf(find(program, command.path), command, group);
    }
  }
  return [
    "/** Made by `npm run generate`: the help of every command. */",
    `export const helpTexts: Readonly<Record<string, string>> = ${JSON.stringify(texts, null, 2)};`,
    "",
  ].join("\n");
}

/** The node that these words lead to. */
function find(root: Commander, path: string): Commander {
  return path.split(" ").reduce((node, word) => {
    const found = node.commands.find((child) => child.name() === word);
    if (!found) throw new Error(`No command ${path}`);
    return found;
  }, root);
}

function helpOf(node: Commander, command: Command | null, group: Group): string {
  node.configureHelp({
    helpWidth: WIDTH,
    visibleOptions: (target) => target.options.filter((option) => !globalNames.has(option.flags)),
    visibleCommands: (target) => [...target.commands],
    subcommandTerm: (child) =>
      child.name() + child.registeredArguments.map((arg) => ` ${argTerm(arg)}`).join(""),
    subcommandDescription: (child) => child.summary() || child.description(),
    commandUsage: (target) => usageOf(target, command, group),
  });
  const help = node.helpInformation().trimEnd();
  const parts = [help];
  if (command && command.examples.length > 0) {
    parts.push(`Examples:\n${command.examples.map((example) => `  playtest ${example}`).join("\n")}`);
  }
  parts.push(wrap(GLOBAL_HINT));
  return `${parts.join("\n\n")}\n`;
}

function argTerm(argument: Commander["registeredArguments"][number]): string {
  const name = argument.name() + (argument.variadic ? "..." : "");
  return argument.required ? `<${name}>` : `[${name}]`;
}

function usageOf(target: Commander, command: Command | null, group: Group): string {
  if (!command) return `playtest ${group.name} <command> [flags]`;
  const args = target.registeredArguments.map((argument) => ` ${argTerm(argument)}`).join("");
  const separator = command.passThrough ? " [flags] --" : "";
  return `playtest ${command.path}${separator}${args}${command.passThrough ? "" : " [flags]"}`;
}

function rootHelp(all: readonly Group[]): string {
  const rows = all.map((group) => [group.name, group.summary] as const);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const flags = Object.values(globalFlags).map((flag) => [flag.flags, flag.describe] as const);
  const flagWidth = Math.max(...flags.map(([name]) => name.length)) + 2;
  const list = (pairs: readonly (readonly [string, string])[], to: number) =>
    pairs.map(([name, describe]) => `  ${name.padEnd(to)}${describe}`).join("\n");
  return [
    description,
    "Usage: playtest <command> [flags]",
    `Commands:\n${list(rows, width)}`,
    `Flags of every command:\n${list(flags, flagWidth)}`,
    "Start:\n  playtest login --base-url <url>   with a management key of your studio\n" +
      "  playtest server start --demo      with a demo studio on this machine",
    "`playtest <command> --help` tells more of each; `playtest --version` prints the version.\n",
  ].join("\n\n");
}

function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

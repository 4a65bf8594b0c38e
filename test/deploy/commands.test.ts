/** Every playtest command in deploy/ and in the pages for users exists, with its flags. */
import { expect, test } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { lazyGroups, loadGroups } from "../../src/cli/commands/index.ts";
import { globalFlags } from "../../src/cli/global-flags.ts";
import { readPage, userPages } from "../docs/page-files.ts";
import { readDeployFile, readDeployYaml, readManifests } from "./deploy-files.ts";

const groups = await loadGroups(Object.keys(lazyGroups));
const commands = new Map<string, Command>(
  groups.flatMap((group) => group.commands.map((command) => [command.path, command])),
);

const flagNames = (flags: object) =>
  Object.values(flags as Readonly<Record<string, { readonly flags: string }>>).flatMap(({ flags: syntax }) =>
    [...syntax.matchAll(/--[\w-]+/g)].map(([name]) => name),
  );

/** What is wrong with a command line, given as words without `playtest`. */
function findProblems(words: readonly string[]): string[] {
  const path = [3, 2, 1].map((length) => words.slice(0, length).join(" ")).find((one) => commands.has(one));
  const command = path === undefined ? undefined : commands.get(path);
  if (!command) return [`unknown command: ${words.join(" ")}`];
  const known = [...flagNames(command.flags), ...flagNames(globalFlags), "--help"];
  return words
    .filter((word) => word.startsWith("--"))
    .map((word) => word.split("=")[0] ?? "")
    .filter((flag) => !known.includes(flag))
    .map((flag) => `unknown flag of ${path}: ${flag}`);
}

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "" && !word.startsWith("$"));

function readUnitCommands(): string[][] {
  const variables = readDeployFile("systemd/playtest.env").replaceAll(/^#(?=\w+=)/gm, "");
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(variables)?.[1] ?? "";
  return ["playtest.service", "playtest-backup.service"].map((unit) => {
    const [, text = ""] = /^ExecStart=\S+\/playtest (.*)$/m.exec(readDeployFile(`systemd/${unit}`)) ?? [];
    return words(text.replaceAll(/\$(\w+)/g, (_, name: string) => value(name)));
  });
}

function readComposeCommands(): string[][] {
  const { services } = readDeployYaml("compose.yaml") as {
    services: Readonly<Record<"playtest" | "backup", { command: string[] }>>;
  };
  return [services.playtest.command, services.backup.command];
}

function readManifestCommands(): string[][] {
  const pods = readManifests().flatMap(({ manifest: { kind, spec } }) => {
    if (kind === "Deployment") return [spec.template.spec];
    return kind === "CronJob" ? [spec.jobTemplate.spec.template.spec] : [];
  });
  return pods.map(({ containers }) => containers[0].args as string[]);
}

/** The commands in the blocks and code spans of the pages for users. */
function readPageCommands(): string[][] {
  const text = userPages.map(readPage).join("\n");
  const names = groups.map(({ name }) => name).join("|");
  const inBlocks = text.matchAll(
    new RegExp(
      `^ *(?:\\$ |sudo --user=\\S+ --set-home |docker compose run --rm |kubectl exec .*')?playtest ((?:${names})\\b.*?)'?$`,
      "gm",
    ),
  );
  const inSpans = text.matchAll(
    new RegExp(`\`(?:sudo --user=\\S+ --set-home )?playtest ((?:${names})\\b[^\`]*)\``, "g"),
  );
  // Only the first command of a line, without its texts.
  return [...inBlocks, ...inSpans].map(([, line = ""]) =>
    words(line.replaceAll(/"[^"]*"/g, "text").replace(/ (?:[|>&;#\\]|-- ).*/s, "")),
  );
}

test.each([
  ["the systemd units", readUnitCommands, 2],
  ["the compose file", readComposeCommands, 2],
  ["the manifests", readManifestCommands, 2],
  ["the pages", readPageCommands, 100],
])("the commands of %s exist", (_where, read, count) => {
  const lines = read();
  expect(lines.length).toBeGreaterThanOrEqual(count);
  expect(lines.flatMap(findProblems)).toEqual([]);
});

test.each([
  ["server begin --port 1", "unknown command: server begin --port 1"],
  ["server start --ports 1", "unknown flag of server start: --ports"],
])("the check finds the problem of %s", (line, problem) => {
  expect(findProblems(words(line))).toEqual([problem]);
});

/** Tests of help: every command has help, the examples work, and the help lists everything. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { lazyGroups, loadGroups } from "../../src/cli/commands/index.ts";
import { globalFlags } from "../../src/cli/global-flags.ts";
import { helpTexts } from "../../src/cli/help-texts.prepared.ts";
import { parseCommandLine } from "../../src/cli/program.ts";
import { topicTexts } from "../../src/cli/topic-texts.prepared.ts";
import { script } from "../client/script.ts";
import { runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";
import { splitWords } from "./split-words.ts";

const groups = await loadGroups(Object.keys(lazyGroups));
const commands: Command[] = groups.flatMap((group) => [...group.commands]);
const examples = commands.flatMap((command) => command.examples.map((line) => [line, command] as const));

/** The words of an example, as a shell would split them. */
function wordsOf(line: string): string[] {
  const [own = ""] = line.split(" < ");
  return splitWords(own);
}

/** Runs a command that needs no service. */
async function alone(line: string) {
  const { transport, requests } = script({});
  const run = await runCli(line === "" ? [] : line.split(" "), { transport });
  expect(requests).toEqual([]);
  return run;
}

describe("every command", () => {
  test.each(commands.map((command) => [command.path, command] as const))("%s", async (path, command) => {
    const { code, out, err } = await alone(`${path} --help`);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^Usage: playtest ${path}\\b`));
    expect(out).toContain(command.summary);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const line of command.examples) expect(out).toContain(`  playtest ${line}\n`);
    for (const { flags } of Object.values(command.flags)) expect(out).toContain(flags);
    for (const { name, describe: text } of command.args) {
      expect(out).toContain(name.replace(/[<>[\].]/g, ""));
      expect(out.replace(/\s+/g, " ")).toContain(text);
    }
    for (const line of out.split("\n")) expect([line, line.length <= 90]).toEqual([line, true]);
    expect((await alone(`help ${path}`)).out).toBe(out);
    expect((await alone(`${path} -h --format json`)).out).toBe(out);
  });
});

/** The lines of a text in a window of 80 columns. */
const countLines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);

test.each(Object.entries(helpTexts).filter(([path]) => path !== ""))(
  "the help of %s has at most 40 lines at 80 columns",
  (_, text) => {
    expect(countLines(text)).toBeLessThanOrEqual(40);
  },
);

test.each(commands.flatMap((command) => (command.topic ? [[command.topic.name, command] as const] : [])))(
  "the topic %s describes the flags that the help of its command only lists",
  (name, { path, topic, flags }) => {
    const help = helpTexts[path];
    expect(help).toContain(`playtest help ${name}`);
    for (const key of topic?.flags ?? []) {
      const flag = flags[key];
      expect(help).toContain(flag?.flags);
      expect(topicTexts[name]).toContain(`  ${flag?.flags}`);
    }
  },
);

describe("the help of", () => {
  test.each(groups.map((group) => [group.name, group] as const))(
    "the group %s lists its commands",
    async (name, group) => {
      const { out } = await alone(`help ${name}`);
      if (group.commands.length === 1 && group.commands[0]?.path === name) return;
      for (const command of group.commands) {
        const [next = ""] = command.path.slice(name.length + 1).split(" ");
        expect(out).toContain(`  ${next}`);
      }
    },
  );

  test("everything lists the groups, and a topic the flags of every command", async () => {
    for (const line of ["", "--help", "-h", "help"]) {
      const { code, out } = await alone(line);
      expect([code, out]).toEqual([0, helpTexts[""]]);
    }
    for (const group of groups) expect(helpTexts[""]).toContain(`  ${group.name}`);
    for (const { flags } of Object.values(globalFlags)) expect(topicTexts.flags).toContain(`  ${flags}`);
  });
});

describe("examples", () => {
  test.each(examples)("parse: %s", (line, command) => {
    const typed = parseCommandLine(wordsOf(line), groups);
    expect(typed.command).toBe(command);
  });

  let service: TestService;
  beforeAll(async () => {
    service = await startDemo("studio");
  });
  afterAll(() => service.stop());

  const reads = examples.filter(([line]) =>
    /^(games|sessions|insights|testers|heatmap|events|funnel|batches|handles|experiments|ingest discord|api)\b|^builds (?!register)/.test(
      line,
    ),
  );

  test.each(reads)("work on the demo studio: %s", async (line) => {
    const { code, out, err } = await runCli(wordsOf(line), { service, env: { PLAYTEST_GAME: "ember" } });
    if (/\b(?!dev_)[a-z]+_0123/.test(line) || line.startsWith("testers get dev_"))
      expect([code, err]).toEqual([44, expect.stringContaining("_0123")]);
    else expect([code, out === ""]).toEqual([line.includes("--fail-on") ? 10 : 0, false]);
  });

  test("cover every command that reads", () => {
    expect(reads.length).toBeGreaterThan(40);
  });
});

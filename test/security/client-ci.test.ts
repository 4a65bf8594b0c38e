/** A hostile service cannot inject commands into CI logs, outputs of the gate, or active content into summaries. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport.ts";
import { startDemo } from "../cli/demo.ts";
import { createAppTransport, freshFolder, runCli, type TestService } from "../harness.ts";
import { commandsIn as githubCommandsIn } from "../render/gate/samples.ts";
import { activeContentIn } from "../render/github-markdown.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

/** Text that controls a CI runner, breaks out of its files, or is active content in a summary. */
const attacks: Readonly<Record<string, string>> = {
  "commands at the start of a line": "::error::x\n::add-mask::y\r::stop-commands::z\u2028::debug::w",
  "old commands": "\n::set-output name=verdict::passed\n::set-env name=PATH::/tmp\n::save-state name=a::b",
  "commands anywhere": "##[error]x ##[group]y ##vso[task.complete]z ##teamcity[buildStop]",
  "commands behind escapes": "%0A::error::x%0D%0A::error::y %3A%3A %25",
  "ends of a heredoc": "\nGATE_END\nverdict=passed\nverdict<<EOF\npassed\nEOF\n",
  HTML: "<img src=x onerror=alert(1)><script>x</script></summary></details><a href=//evil.test>x</a><!--",
  "links and pictures":
    "[x](javascript:alert(1)) ![x](https://evil.test/x.png) <https://evil.test> [x]: //evil.test",
  code: "`$(id)` ```\n```sh\nid\n``` ~~~",
  "tables, headings and lists": "| a | b |\n| --- | --- |\n# heading\n- item\n> quote\n---\n",
  "mentions and issues": "@org/team #1 org/repo#2 GH-3 _www.evil.test a5c3785 :x: $x$ # x #\n/close",
  "escape sequences": "\x1b[31m\x1b]8;;http://evil.test\x07x\x1b]8;;\x07\x9b2J",
};

/** Returns the lines that GitHub Actions, Azure Pipelines or TeamCity may run as commands. */
const commandsIn = (log: string) => {
  const others = log.split("\n").filter((line) => /##(vso|teamcity)\[/i.test(line));
  return [...new Set([...githubCommandsIn(log), ...others])];
};

/** Fields with free text. */
const FREE =
  /^(tag|tags|rooms|title|description|evidence|rationale|narrative|summary|text|label|room|device_id|deviceId)$/;

function infested(value: unknown, attack: string, field = ""): unknown {
  if (typeof value === "string") return FREE.test(field) ? `${attack}${value}${attack}` : value;
  if (Array.isArray(value)) return value.map((one) => infested(one, attack, field));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, infested(child, attack, name)]),
  );
}

/** A transport of the demo studio that adds the attack to all free text. */
function hostile(attack: string): Transport {
  const honest = createAppTransport(service.app);
  return async (request) => {
    const answer = await honest(request);
    return { ...answer, body: JSON.stringify(infested(JSON.parse(answer.body), attack)) };
  };
}

const env = { PLAYTEST_GAME: "ember", CI: "true", GITHUB_ACTIONS: "true" };
const run = (argv: readonly string[], attack: string, files: Record<string, string> = {}, cwd?: string) =>
  runCli([...argv], {
    service,
    transport: hostile(attack),
    env: { ...env, ...files },
    ...(cwd ? { cwd } : {}),
  });

/** Removes everything from Markdown that the gate writes itself. The rest must contain no active content. */
const bareOf = (markdown: string) =>
  markdown.split("\n").map((line) =>
    line
      .replaceAll("<br>", "")
      .replaceAll("<!-- -->", "\0")
      .replace(/^(<details><summary>[\w ,:]+<\/summary>|<\/details>|<!-- playtest-gate:\S* -->)$/, "")
      .replace(/\\[\\`*|[\]~$!{}_#>+-]/g, ""),
  );

/** Parses an output file as the runner does: a heredoc ends at the first line with its delimiter. */
function outputsIn(file: string): [name: string, lines: string[]][] {
  const outputs: [string, string[]][] = [];
  const lines = file.split("\n");
  expect(lines.pop()).toBe("");
  while (lines.length > 0) {
    const [, name = "", end = ""] = /^([^=]*?)<<(.+)$/.exec(lines.shift() ?? "") ?? [];
    outputs.push([name, lines.splice(0, lines.indexOf(end))]);
    lines.shift();
  }
  return outputs;
}

async function runGate(attack: string) {
  const cwd = freshFolder();
  const files = { GITHUB_STEP_SUMMARY: join(cwd, "summary.md"), GITHUB_OUTPUT: join(cwd, "output") };
  const argv = [
    "gate",
    "0.8.0",
    "0.9.0",
    "--report",
    "github",
    "--report",
    "md=comment.md",
    "--report",
    "junit=junit.xml",
  ];
  const ran = await run(argv, attack, files, cwd);
  const read = (name: string) => readFileSync(join(cwd, name), "utf8");
  return {
    ...ran,
    summary: read("summary.md"),
    comment: read("comment.md"),
    junit: read("junit.xml"),
    output: read("output"),
  };
}

const gates = new Map<string, ReturnType<typeof runGate>>();

/** The gate with this attack, which runs once for all tests. */
function gate(attack: string): ReturnType<typeof runGate> {
  const started = gates.get(attack) ?? runGate(attack);
  gates.set(attack, started);
  return started;
}

describe.each(Object.entries(attacks))("the gate on GitHub Actions, against %s", (_what, attack) => {
  test("has the same result and the same commands as without the attack", async () => {
    const [honest, attacked] = [await gate("x"), await gate(attack)];
    expect([attacked.code, honest.code]).toEqual([10, 10]);
    const commands = commandsIn(`${attacked.out}\n${attacked.err}`);
    expect(commands).toHaveLength(commandsIn(`${honest.out}\n${honest.err}`).length);
    for (const command of commands) expect(command).toMatch(/^::(error|warning|notice) title=[^:,]*::/);
    // The attack must be in the output.
    expect(attacked.summary).not.toBe(honest.summary);
  });

  test("writes only its own outputs", async () => {
    const [honest, attacked] = [outputsIn((await gate("x")).output), outputsIn((await gate(attack)).output)];
    expect(attacked.map(([name]) => name)).toEqual(["verdict", "failed", "warned", "judged", "reasons"]);
    expect(attacked.slice(0, 4)).toEqual(honest.slice(0, 4));
    expect(attacked[4]?.[1]).toHaveLength(honest[4]?.[1].length ?? 0);
  });

  test("writes a JUnit report without commands", async () => {
    const [honest, attacked] = [await gate("x"), await gate(attack)];
    expect(commandsIn(attacked.junit)).toEqual([]);
    expect(attacked.junit.match(/<[a-z]+/g)).toEqual(honest.junit.match(/<[a-z]+/g));
  });

  test("writes a summary and a comment without active content", async () => {
    const [honest, attacked] = [await gate("x"), await gate(attack)];
    for (const kind of ["summary", "comment"] as const) {
      expect(commandsIn(attacked[kind])).toEqual([]);
      expect(activeContentIn(attacked[kind])).toEqual([]);
      const lines = bareOf(attacked[kind]);
      expect(lines).toHaveLength(bareOf(honest[kind]).length);
      expect(lines.filter((line) => /^#/.test(line))).toHaveLength(1);
      for (const line of lines) {
        expect(line).not.toMatch(/[`*<>[\]]|@(?!\0)|:\/\/|&(?!amp;|lt;|gt;|#)/);
        expect(line).not.toMatch(/[\x01-\x1f\x7f-\x9f\u2028\u2029]/);
      }
    }
  });
});

describe("other commands print no CI commands from a hostile service", () => {
  const lines = [
    "builds compare 0.8.0 0.9.0",
    "builds suggestions 0.9.0",
    "insights list --limit 50",
    "testers archetypes",
    "report 0.8.0 0.9.0 --format md",
    "report 0.8.0 0.9.0 --format html",
    "report 0.8.0 0.9.0 --format json",
    "gate 0.8.0 0.9.0 --report junit",
    "gate 0.8.0 0.9.0 --report md",
    "gate 0.8.0 0.9.0 --report json",
    "builds list",
    "heatmap",
  ];
  test.each(lines)("%s", async (line) => {
    const argv = line.split(" ");
    const { code, out } = await run(argv, "marker-of-an-attack");
    for (const attack of Object.values(attacks)) {
      const attacked = await run(argv, attack);
      expect([attacked.code, commandsIn(`${attacked.out}\n${attacked.err}`)]).toEqual([code, []]);
      if (out.includes("marker-of-an-attack")) expect(attacked.out).not.toBe(out);
    }
  });
});

/** Returns the completions of `kind` after a command has listed the names of a service. */
async function offered(list: readonly string[], kind: string, names: readonly string[]): Promise<string[]> {
  const home = freshFolder();
  const honest = createAppTransport(service.app);
  const named = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => named(one, name));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([field, child]) => {
      const isName = typeof child === "string" && /^(slug|gameVersion|id)$/.test(field);
      return [field, isName ? name : named(child, name)];
    });
    return Object.fromEntries(entries);
  };
  for (const name of names) {
    const transport: Transport = async (request) => {
      const answer = await honest(request);
      return { ...answer, body: JSON.stringify(named(JSON.parse(answer.body), name)) };
    };
    const { code } = await runCli([...list], {
      service,
      transport,
      home,
      env: { PLAYTEST_NO_COMPLETION_REFRESH: "1" },
    });
    expect([name, code]).toEqual([name, 0]);
  }
  const { out, err } = await runCli(["__complete", kind, "--"], { service, home, env: { CI: "true" } });
  expect(err).toBe("");
  return out.split("\n").slice(0, -1);
}

/** Names with terminal escapes or line ends, and names that look like flags. */
const unofferable = [
  "a\nb",
  "a\r\nplaytest logout",
  "a\x1b[31mb",
  "a\x1b]52;c;cm0K\x07",
  "a\x9b2Jb",
  "a\u202eb",
  "a\u2028b",
  "a\0b",
  "-rf",
  "--database=/tmp/x",
  "x".repeat(100_000),
];
/** Names that a shell would run or split without quotes. test/shells completes them in real shells. */
const offerable = ["it's", 'a "b"', "$(touch pwned)", "`touch pwned`", "a;b|c&d", "a\\b", "%0A::error::x"];

describe("completions of names from a hostile service", () => {
  test.each([
    [["games", "list"], "games"],
    [["sessions", "list"], "sessions"],
    [["sessions", "list"], "builds"],
  ])("%j offers only safe names of %s, one per line", async (list, kind) => {
    const found = await offered(list, kind, [...unofferable, ...offerable]);
    // Completions of games use only the last response, which lists all games.
    expect(found).toEqual(expect.arrayContaining(kind === "games" ? offerable.slice(-1) : [...offerable]));
    for (const name of found) expect(unofferable).not.toContain(name);
    expect(found.filter((name) => !offerable.includes(name))).toEqual([]);
  });
});

/** Tester text in a CI log cannot run commands of the CI service, whatever the command and format. */
import { describe, expect, test } from "vitest";
import { findEndpoint, responseBodies } from "../client/response-fixtures.ts";
import { announcing, type ScriptedReply, script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import { ciCommandsIn } from "../render/ci-commands.ts";
import { env, mixStrings, replaceStrings } from "./hostile-responses.ts";
import { readCommands } from "./read-commands.ts";

/** Commands of each service at the start of a text, behind all that a runner may skip, and behind separators of cells. */
const ATTACKS = [
  "::error::x",
  "\n::error::x\r::b::\r\n \t::c::\u2028::d::\u2029::e::\x85::f::\v::g::",
  "\ufeff::a::\n\u00a0\u3000::b::\n\u200b::c::\n\xad::d::\n\u0301::e::\n\u3164::f::\n\u2060::g::",
  "a,::a::;::b::\t::c::|::d::\\n::e::",
  "\x1b[31m::error::x\x1b[0m",
  "##[error]x ##vso[task.complete]y ##teamcity[buildStop] ###[error]z",
  "%0A::error::x##",
  "[group]x",
];

const formats: ReadonlyArray<readonly string[]> = [
  [],
  ["--wide"],
  ["--plain"],
  ["--color", "always"],
  ["--format", "md"],
  ["--format", "csv"],
  ["--format", "tsv"],
  ["--format", "ndjson"],
  ["--json"],
  ["--json", "--jq", "."],
];

const run = async (
  argv: readonly string[],
  reply: ScriptedReply | Parameters<typeof script>[0],
  tty = false,
) => {
  const { transport } = script(reply);
  const own = argv[0] === "games" ? transport : announcing(transport);
  return await runCli([...argv], { env, transport: own, tty, columns: 80 });
};

const isTerminal = [false, true];

/** The commands that read, with a number that differs between them. */
const commands = Object.entries(readCommands).map(([line, endpoint], at) => [line, endpoint, at] as const);

// The strings of a response get the attacks in turn, and each run begins with another one. So every string of a response
// gets every attack within the formats of its command, and every format has every attack in every place of some command.
describe.each(commands)("%s in a CI log", (line, endpoint, command) => {
  test.each(formats.map((flags, at) => [flags, at] as const))(
    "contains no CI command: %j",
    async (flags, at) => {
      for (const tty of flags.includes("--jq") ? [command % 2 === 0] : isTerminal) {
        const body = mixStrings(responseBodies[endpoint], ATTACKS, command + 2 * at + Number(tty));
        const { code, out, err } = await run([...line.split(" "), ...flags], { body }, tty);
        expect([code, ciCommandsIn(`${out}\n${err}`)]).toEqual([0, []]);
      }
    },
  );

  test("keeps the text in JSON", async () => {
    const attack = ATTACKS.join("");
    const body = replaceStrings(responseBodies[endpoint], attack);
    const { out } = await run([...line.split(" "), "--json"], { body });
    const contains = (value: unknown) => JSON.stringify(value).includes(JSON.stringify(attack));
    expect(contains(JSON.parse(out))).toBe(contains(body));
  });
});

// Each format escapes in its own way, so each gets every attack in every string. What --jq prints is escaped like --json.
describe.each(["sessions list", "sessions get x"])(
  "%s in a CI log with one attack in all strings",
  (line) => {
    const separate = formats.filter((flags) => !flags.includes("--jq"));
    test.each(separate.map((flags) => [flags]))("contains no CI command: %j", async (flags) => {
      for (const attack of ATTACKS) {
        const body = replaceStrings(responseBodies[readCommands[line] ?? ""], attack);
        for (const tty of isTerminal) {
          const { code, out, err } = await run([...line.split(" "), ...flags], { body }, tty);
          expect([code, attack, ciCommandsIn(`${out}\n${err}`)]).toEqual([0, attack, []]);
        }
      }
    });
  },
);

describe("commands that combine responses, in a CI log", () => {
  const lines = [
    ...["html", "md", "json"].map((format) => `report 1 2 --format ${format}`),
    ...["text", "md", "json", "junit"].map((report) => `gate 1 2 --report ${report}`),
    ...["--format csv", "--format tsv", "--format ndjson", "--json"].map((flags) => `gate 1 2 ${flags}`),
    ...["", " --format csv", " --format md"].map((flags) => `events --by week${flags}`),
    ...["csv", "ndjson"].map((format) => `export sessions --out - --format ${format}`),
    ...["", " --format csv", " --format tsv", " --format md", " --json"].map((flags) => `api games${flags}`),
    ...["", " --format csv", " --format md", " --json"].map((flags) => `doctor${flags}`),
    ...["", " --format csv", " --format md", " --json"].map((flags) => `status${flags}`),
    "gate 1 2 --debug",
    "sessions list --all --format csv",
    "sessions list --fields title,metadata --format csv",
    "sessions list --fields title,metadata --format tsv",
    "sessions list --fields title,metadata --format md",
  ];
  test.each(lines)("%s", async (line) => {
    for (const attack of ATTACKS) {
      const { out, err } = await run(line.split(" "), ({ url }) => ({
        body: replaceStrings(responseBodies[findEndpoint(url)], attack),
      }));
      expect([attack, ciCommandsIn(`${out}\n${err}`)]).toEqual([attack, []]);
      expect(`${out}${err}`).not.toBe("");
    }
  });
});

describe("errors in a CI log", () => {
  test.each([[[]], [["--json"]], [["--debug"]]])("contain no CI command: %j", async (flags) => {
    for (const text of ATTACKS) {
      const body = { error: text, issues: [{ path: [text, 1], code: text, message: text }], scope: text };
      const headers = { location: `http://x/${text.replace(/[^ -~]/g, "")}` };
      const replies: ScriptedReply[] = [
        ...[302, 400, 401, 403, 404, 409, 500].map((status) => ({ status, body, headers })),
        { body: { games: [{ [text]: 1 }] } },
        { body: replaceStrings(responseBodies.listGames, text) },
      ];
      for (const reply of replies) {
        const { code, err } = await run(
          ["games", "list", "--max-wait", "0", "--fields", "nope", ...flags],
          reply,
        );
        expect([code > 0, ciCommandsIn(err)]).toEqual([true, []]);
      }
    }
  });

  test("about arguments contain no CI command", async () => {
    for (const text of ATTACKS) {
      const argvs = [
        [text],
        ["games", text],
        ["games", "list", `--${text}`],
        ["games", "list", "--format", text],
        ["games", "list", "--jq", text],
        ["help", text],
        ["config", "get", text],
        ["ingest", "telemetry", text.replace(/[^ -~]/g, "")],
      ];
      for (const argv of argvs) {
        const { out, err } = await run(argv, { body: responseBodies.listGames });
        expect([argv, ciCommandsIn(`${out}\n${err}`)]).toEqual([argv, []]);
      }
    }
  });

  test("keep the text in JSON", async () => {
    const { err } = await run(["games", "list", "--json"], {
      status: 400,
      body: { error: ATTACKS.join("") },
    });
    expect(JSON.parse(err.trimEnd().split("\n").at(-1) ?? "").error.message).toContain("##[error]x");
  });
});

test("the text output of --jq is unchanged, because it is for programs", async () => {
  const text = ATTACKS.join("\n");
  const body = replaceStrings(responseBodies.listGames, text);
  const { out } = await run(["games", "list", "--jq", ".games[0].name"], { body });
  expect(out).toBe(`${text}\n`);
});

/** Tester text in a CI log cannot run commands of the CI service, whatever the command and format. */
import { describe, expect, test } from "vitest";
import { findEndpoint, responseBodies } from "../client/response-fixtures.ts";
import { type ScriptedReply, script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import { ciCommandsIn } from "../render/ci-commands.ts";
import { env, replaceStrings } from "./hostile-responses.ts";
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
) => await runCli([...argv], { env, transport: script(reply).transport, tty, columns: 80 });

describe.each(Object.entries(readCommands))("%s in a CI log", (line, endpoint) => {
  test.each(formats.map((flags) => [flags]))("contains no CI command: %j", async (flags) => {
    for (const attack of ATTACKS) {
      const body = replaceStrings(responseBodies[endpoint], attack);
      for (const tty of [false, true]) {
        const { code, out, err } = await run([...line.split(" "), ...flags], { body }, tty);
        expect([code, attack, ciCommandsIn(`${out}\n${err}`)]).toEqual([0, attack, []]);
      }
    }
  });

  test("keeps the text in JSON", async () => {
    for (const attack of ATTACKS) {
      const body = replaceStrings(responseBodies[endpoint], attack);
      const { out } = await run([...line.split(" "), "--json"], { body });
      const contains = (value: unknown) => JSON.stringify(value).includes(JSON.stringify(attack));
      expect(contains(JSON.parse(out))).toBe(contains(body));
    }
  });
});

describe("commands that combine responses, in a CI log", () => {
  const lines = [
    ...["html", "md", "json"].map((format) => `report 1 2 --format ${format}`),
    ...["text", "md", "json", "junit"].map((report) => `gate 1 2 --report ${report}`),
    ...["--format csv", "--format tsv", "--format ndjson", "--json"].map((flags) => `gate 1 2 ${flags}`),
    ...["", " --format csv", " --format md"].map((flags) => `events --by week${flags}`),
    ...["csv", "ndjson"].map((format) => `export sessions --out - --format ${format}`),
    ...["", " --format csv", " --format tsv", " --format md", " --json"].map((flags) => `api games${flags}`),
    ...["", " --format csv", " --format md", " --json"].map((flags) => `doctor${flags}`),
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

/** Untrusted text cannot control a terminal or run in a spreadsheet, and is preserved in JSON. */
import { describe, expect, test } from "vitest";
import { endpoints } from "../../src/contract/index.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { type ScriptedReply, script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import { ATTACKS, forbiddenIn } from "../render/samples.ts";
import {
  combiningCommands,
  env,
  expectCombinedHarmless,
  expectHarmless,
  mixStrings,
  replaceStrings,
  run,
  runs,
} from "./hostile-responses.ts";
import { readCommands as lines } from "./read-commands.ts";

/** Endpoints that no command reads, and that only commands with several responses read. */
const notRead = [
  "findIds",
  // The doctor shows only counts of known reasons.
  "countRefusals",
  "getBuildFacts",
  "getScorecard",
  "getStatus",
  "getCurrentTester",
  "getEventConfig",
  "linkTester",
  // Only exports read them: export.test.ts and hostile-parquet.test.ts.
  "listChanges",
  "listEventCounts",
  "listRawEvents",
  // The doctor shows those that fail: doctor.test.ts.
  "listWebhooks",
  "resolveGame",
  "submitBugReport",
  "sendTelemetry",
  "submitFeedback",
  // Have a key of their own: the test below.
  "registerBuild",
  "openGate",
  // The command reads a stream: telemetry-tail.test.ts.
  "tailTelemetry",
  "unlinkTester",
];

const texts: Record<string, string> = {
  "every control and invisible character": ATTACKS.join("x"),
  "escape sequences": "\x1b[2J\x1b[31mred\x1b]0;title\x07\x9b31m\x1bP+q\x1b\\",
  "a clipboard write": "\x1b]52;c;cm0gLXJmIC8=\x07",
  "lines and returns": "good\r\x1b[Kbad\r\nnext\nlast\u2028sep\u2029",
  "directions and joiners": "safe\u202etxt.exe\u2066\u200b\u200d\u2069\ufeff",
  "a formula": '=HYPERLINK("http://evil.test","click")',
  "a table": "a | b\n| --- |\n<img src=x onerror=alert(1)> [x](javascript:1) @all #1",
  references: "_www.evil.test GH-1 a5c3785 owner/game@a5c3785 :x: CVE-2024-1 [^1] $x$ # x #\n/close",
  "a heading": "# x #",
  nothing: "",
  "half a pair": "\ud83d and \udd25",
};

// The fields get the texts in turn, and each run begins with another one, so that every field has every text in some format
// of each command, and every format has every text in every field of some command.
describe.each(Object.entries(lines))("%s", (line, name) => {
  test("with another hostile text in each field", async () => {
    const command = Object.keys(lines).indexOf(line);
    for (const [at, one] of runs.entries())
      await expectHarmless(line, mixStrings(responseBodies[name], Object.values(texts), command + at), one);
  });

  test.each(Object.entries(texts))("with %s in every field as Markdown", async (_what, text) => {
    const markdown = runs.find(({ flags }) => flags.includes("md"));
    const body = replaceStrings(responseBodies[name], text);
    if (markdown) await expectHarmless(line, body, markdown);
  });

  test("contains no spreadsheet formulas as CSV", async () => {
    for (const start of ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1"]) {
      const { out } = await run(
        line,
        ["--format", "csv"],
        { body: replaceStrings(responseBodies[name], start) },
        false,
      );
      expect(out).not.toMatch(/(^|,)"?[\s]*[=+@＝-](?!\d+(\.\d+)?(,|$))/m);
    }
  });
});

describe.each(["sessions list", "sessions get x", "insights get x"])(
  "%s with the same text in all fields",
  (line) => {
    test.each(Object.entries(texts))("%s", async (_what, text) => {
      const body = replaceStrings(responseBodies[lines[line] ?? ""], text);
      for (const one of runs) await expectHarmless(line, body, one);
    });
  },
);

describe("commands that combine several responses", () => {
  test.each(combiningCommands)("%s", async (line) => {
    for (const text of Object.values(texts)) await expectCombinedHarmless(line, text);
  });
});

test.each([
  ["registerBuild", ["builds", "register", "1.0", "-g", "ember"]],
  ["openGate", ["gate", "1.0", "1.1", "--detach", "--to", "ci", "-g", "ember"]],
] as const)("the answer of %s is one harmless line", async (name, argv) => {
  const { transport } = script({ body: replaceStrings(responseBodies[name], ATTACKS.join("x")) });
  const { out, code } = await runCli([...argv], {
    env: { ...env, PLAYTEST_CI_KEY: "k" },
    transport,
    tty: true,
  });
  expect([code, forbiddenIn(out, "\n"), out.trimEnd().split("\n").length]).toEqual([0, [], 1]);
});

test("--jq output is cleaned at a terminal", async () => {
  const body = replaceStrings(responseBodies.listSessions, texts["escape sequences"] ?? "");
  const { out, code } = await run(
    "sessions list",
    ["--jq", ".items[] | .title, .metadata, [.id]"],
    { body },
    true,
  );
  expect([code, forbiddenIn(out, "\n")]).toEqual([0, []]);
});

describe("errors", () => {
  const text = ATTACKS.join("x");

  test("of the service are cleaned for the terminal and complete in JSON", async () => {
    const body = { error: text, issues: [{ path: [text, 1], code: text, message: `m${text}` }], scope: text };
    const headers = { "x-request-id": "\x1b[31mid" };
    for (const status of [400, 401, 402, 403, 409, 429, 500]) {
      const { err, out } = await run(
        "games list",
        ["--json", "--max-wait", "0"],
        { status, body, headers },
        true,
      );
      expect([out, forbiddenIn(err, "\n")]).toEqual(["", []]);
      const { error } = JSON.parse(err.trimEnd().split("\n").at(-1) ?? "");
      expect(error.message).toBe(text);
    }
  });

  test("about a redirect, an invalid body and an unknown field are cleaned", async () => {
    const replies: [ScriptedReply, string[]][] = [
      [{ status: 302, headers: { location: `http://x/${text}` } }, []],
      [{ body: { games: [{ [text]: 1 }] } }, []],
      [{ body: replaceStrings(responseBodies.listGames, text) }, ["--fields", "nope"]],
      [
        { body: { games: [{ ...(responseBodies.listGames as { games: object[] }).games[0], [text]: 1 }] } },
        ["--fields", "nope"],
      ],
    ];
    for (const [reply, flags] of replies) {
      const { code, err } = await run("games list", flags, reply, true);
      expect([code > 0, forbiddenIn(err, "\n")]).toEqual([true, []]);
    }
  });

  test("about arguments are cleaned", async () => {
    const argvs = [
      [text],
      ["games", text],
      ["games", "list", text],
      ["games", "list", `--${text}`],
      ["games", "list", "--format", text],
      ["games", "list", "--jq", text],
      ["sessions", "list", "--from", text],
      ["config", "get", text],
      ["config", "set", "tz", text],
      ["games", "list", "--base-url", text],
      ["games", "list", "--profile", text],
      ["ingest", "telemetry", "x\x1b[31m\u202e.ndjson"],
    ];
    for (const argv of argvs) {
      const { transport } = script({ body: responseBodies.listGames });
      const { out, err } = await runCli(argv, {
        env: { ...env, PLAYTEST_INGEST_KEY: "k" },
        transport,
        tty: true,
      });
      expect([argv, forbiddenIn(out + err, "\n")]).toEqual([argv, []]);
    }
  });
});

test("every endpoint that a command reads is tested here", () => {
  const attacked = [...new Set(Object.values(lines)), ...notRead];
  expect(attacked.sort()).toEqual(Object.keys(endpoints).sort());
});

/** Tests of colored output: when color is used, and that only the color differs. */
import { describe, expect, test } from "vitest";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";

const base = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };

/** The escape sequences of a text. */
const codes = (text: string) => text.match(/\x1b\[[\d;]*m/g) ?? [];

async function list(flags: string[], env: Record<string, string>, tty: boolean, colors: 0 | 1 | 2 | 3 = 3) {
  const { transport } = script({ body: responseBodies.listSessions });
  const { code, out } = await runCli(["sessions", "list", ...flags], {
    env: { ...base, ...env },
    transport,
    tty,
    colors,
  });
  expect(code).toBe(0);
  return out;
}

describe("color", () => {
  test.each<[name: string, flags: string[], env: Record<string, string>, tty: boolean, colored: boolean]>([
    ["a terminal", [], {}, true, true],
    ["a pipe", [], {}, false, false],
    ["NO_COLOR", [], { NO_COLOR: "1" }, true, false],
    ["an empty NO_COLOR", [], { NO_COLOR: "" }, true, true],
    ["a dumb terminal", [], { TERM: "dumb" }, true, false],
    ["FORCE_COLOR in a pipe", [], { FORCE_COLOR: "1" }, false, true],
    ["FORCE_COLOR=0 at a terminal", [], { FORCE_COLOR: "0" }, true, false],
    ["NO_COLOR against FORCE_COLOR", [], { NO_COLOR: "1", FORCE_COLOR: "3" }, true, false],
    ["--color never against FORCE_COLOR", ["--color", "never"], { FORCE_COLOR: "3" }, true, false],
    ["--color always against NO_COLOR, in a pipe", ["--color", "always"], { NO_COLOR: "1" }, false, true],
    ["--color auto in a pipe", ["--color", "auto"], {}, false, false],
    ["--plain against everything", ["--plain", "--color", "always"], { FORCE_COLOR: "3" }, true, false],
  ])("with %s", async (_name, flags, env, tty, colored) => {
    expect(codes(await list(flags, env, tty)).length > 0).toBe(colored);
  });

  test("is not used at a terminal without color support", async () => {
    expect(codes(await list([], {}, true, 0))).toEqual([]);
  });

  test.each(["json", "ndjson", "csv", "tsv", "md"])("is never used in %s", async (format) => {
    expect(codes(await list(["--format", format, "--color", "always"], {}, true))).toEqual([]);
  });

  test.each([
    "sessions get x",
    "insights list",
    "builds get 1",
    "builds compare 1 2",
    "testers get x",
    "events",
  ])("is the only difference in the output of %s", async (line) => {
    const reply = () => script(({ url }) => ({ body: bodyOf(url) })).transport;
    const run = async (color: string) =>
      (
        await runCli([...line.split(" "), "--color", color], {
          env: base,
          transport: reply(),
          tty: true,
          colors: 3,
        })
      ).out;
    const always = await run("always");
    expect(codes(always).length).toBeGreaterThan(0);
    expect(always.replace(/\x1b\[[\d;]*m/g, "")).toBe(await run("never"));
  });
});

function bodyOf(url: string): unknown {
  const { pathname } = new URL(url);
  if (pathname.includes("/sessions/")) return responseBodies.getSession;
  if (pathname.includes("/insights")) return responseBodies.listInsights;
  if (pathname.includes("/builds/compare")) return responseBodies.compareBuilds;
  if (pathname.includes("/builds/")) return responseBodies.getBuild;
  return pathname.includes("/testers/") ? responseBodies.getTester : responseBodies.getEvents;
}

test("--color and --format reject unknown values and conflicts", async () => {
  const bad = await runCli(["games", "list", "--color", "sometimes"], { env: base });
  expect([bad.code, bad.err.split("\n")[0]]).toEqual([
    2,
    'error: Unknown --color "sometimes". Use auto, always or never.',
  ]);
  const both = await runCli(["games", "list", "--json", "--format", "csv"], { env: base });
  expect([both.code, both.err.split("\n")[0]]).toEqual([2, "error: --json cannot be used with --format csv"]);
});

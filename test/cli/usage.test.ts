/** Command lines are validated before anything is sent, and typos get a suggestion. */
import { describe, expect, test } from "vitest";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_INGEST_KEY: "i" };

/** Runs a command that must not send a request. */
async function unsent(argv: string[]) {
  const { transport, requests } = script({ body: responseBodies.listSessions });
  const run = await runCli(argv, { env, transport });
  expect(requests).toEqual([]);
  expect(run.out).toBe("");
  return run;
}

describe("checked before any request", () => {
  test.each([
    ["sessions list --limit 0", '--limit "0" is not a whole number of 1 or more'],
    ["sessions list --limit 1.5", '--limit "1.5" is not a whole number'],
    ["sessions list --limit 1e3", '--limit "1e3" is not a whole number'],
    ["sessions list --limit=", '--limit "" is not a whole number'],
    ["sessions list --limit 99999999999999999999", "is not a whole number"],
    ["sessions list --offset -1", '--offset "-1" is not a whole number of 0 or more'],
    [
      "sessions list --status done",
      'Unknown status "done". Use pending, transcribing, processing, analyzed or failed.',
    ],
    ["sessions list --source tape", 'Unknown source "tape". Use manual, discord, unity-telemetry'],
    ["sessions list --env Prod", '--env "Prod" must be an environment slug'],
    ["sessions list --from yesterday", '--from "yesterday" is not a time: use ISO 8601'],
    [
      "sessions list --from 2026",
      '--from "2026" is not a time: use ISO 8601 (2026-11-19, 2026-11-19T08:30Z), an age (7d, 36h) or 13-digit Unix milliseconds',
    ],
    ["sessions list --to 0", '--to "0" is not a time'],
    ["sessions list --to 1771749000", '--to "1771749000" is not a time'],
    ["insights list --from 17717490000000", '--from "17717490000000" is not a time'],
    ["builds list -g ember --from 2026-11", '--from "2026-11" is not a time'],
    ["events -g ember --to 20261119", '--to "20261119" is not a time'],
    ["export sessions -g ember --out x --from 2026", '--from "2026" is not a time'],
    ["sessions list --from 2026-02-30", '--from "2026-02-30" is not a time'],
    ["sessions list --from 2026-03-01T12:00+25:00", "is not a time"],
    [
      "sessions list --from 1d --to 2d",
      "--from 2026-02-28T12:00:00.000Z is after --to 2026-02-27T12:00:00.000Z",
    ],
    ["sessions list --from 1969-12-31", "--from 1969-12-31T00:00:00.000Z must be at least 0"],
    [`sessions list --build ${"x".repeat(121)}`, "build "],
    [`sessions list --query ${"x".repeat(201)}`, "q "],
    ["sessions list --query=", "--query must not be empty"],
    [`sessions list -g ${"x".repeat(121)}`, "game "],
    ["insights list --type fun", 'Unknown type "fun". Use stuck-point'],
    ["insights list --sentiment sad", 'Unknown sentiment "sad". Use positive, neutral or negative.'],
    ["insights list --from 2026-03-02 --to 2026-03-01", "is after --to "],
    ["events -g ember --top 51", "is not a whole number from 1 to 50"],
    ["events -g ember --from 1771749000001 --to 1771749000000", "is after --to "],
    ["heatmap -g ember --env a.b", "must be an environment slug"],
    ["builds get latest -g ember --env BAD", '--env "BAD" must be an environment slug'],
    [`builds get ${"x".repeat(257)} -g ember`, "version "],
    ["builds compare previous latest -g ember --env BAD", '--env "BAD" must be an environment slug'],
    [`builds compare ${"x".repeat(201)} latest -g ember`, "a "],
    ["builds compare 1 2 -g ember --fail-on introduced,worse", "is not a comma-separated list of introduced"],
    ["testers get x -g ember --env BAD", "must be an environment slug"],
    ["games list --timeout 30", '--timeout "30" is not a duration such as 500ms'],
    ["games list --max-wait forever", "is not a duration"],
    ["games list --tz Mars", '--tz "Mars" is not a time zone'],
    ["games list --format yaml", 'Unknown format "yaml". Use table, json, ndjson, csv, tsv or md.'],
    ["sessions get", 'Missing required argument "session"'],
    ["builds blame -g ember", 'Missing required argument "tag"'],
    ["sessions list extra", "Too many arguments"],
    ["ingest telemetry", 'Missing required argument "file"'],
    ["server start --port 70000", "is not a whole number from 0 to 65535"],
    ["server start --host 0.0.0.0", "--host 0.0.0.0 would allow connections from other machines"],
    ["server exec", 'Missing required argument "command"'],
  ])("%s", async (line, message) => {
    const run = await unsent(line.split(" "));
    expect(run.code).toBe(2);
    expect(run.err).toContain(message);
    // Only a hint that says more than the first line is a line of its own.
    expect(run.err).toMatch(
      /^error: (Missing|Too many|--host).*\nhint: .*\n$|^error: (?!Missing|Too many|--host).*\n$/,
    );
  });

  test("a command that needs a game lists the ways to set it", async () => {
    for (const line of [
      "games get",
      "builds get 1",
      "builds compare 1 2",
      "testers get x",
      "heatmap",
      "events",
    ]) {
      const { transport } = script({ body: responseBodies.listGames });
      const run = await runCli(line.split(" "), { env, transport });
      expect([run.code, run.err]).toEqual([
        2,
        "error: No game specified\n" +
          "hint: Use --game, PLAYTEST_GAME, `playtest config set game <slug>` or playtest.config.json. " +
          "The games are ember.\n",
      ]);
    }
  });
});

describe("help of an unknown command", () => {
  test.each([
    ["sessions frobnicate --help", "frobnicate", "sessions"],
    ["sessions lst --help", "lst", "sessions"],
    ["sessions --json frobnicate -h", "frobnicate", "sessions"],
    ["sessions --help frobnicate", "frobnicate", "sessions"],
    ["admin games -h frobnicate", "frobnicate", "admin games"],
    ["admin games frobnicate --help", "frobnicate", "admin games"],
    ["help sessions frobnicate", "frobnicate", "sessions"],
    ["help admin games frobnicate", "frobnicate", "admin games"],
  ])("is a usage error that names it: %s", async (line, name, group) => {
    const { code, err } = await unsent(line.split(" "));
    expect([code, err.split("\n")[0]]).toEqual([
      2,
      expect.stringContaining(`error: Unknown command "${name}"`),
    ]);
    expect(err).toMatch(
      name === "lst" ? /Did you mean list\?\n$/ : `hint: See \`playtest ${group} --help\`.`,
    );
  });
});

describe("a typo", () => {
  test("in a flag without a command is reported with the flag", async () => {
    expect((await unsent(["--nope"])).err).toContain(
      'error: Unknown flag "--nope"\nhint: See `playtest --help`.',
    );
    expect((await unsent(["--json"])).err).toContain("error: No command specified\n");
  });

  test.each([
    ["sesions list", 'Unknown command "sesions". Did you mean sessions?'],
    ["sessions lst", 'Unknown command "lst". Did you mean list?'],
    ["sessions list --limt 5", 'Unknown flag "--limt". Did you mean --limit?'],
    ["sessions list --jsn", 'Unknown flag "--jsn". Did you mean --json?'],
    ["builds comare 1 2", 'Unknown command "comare". Did you mean compare?'],
    ["zzz", 'Unknown command "zzz"'],
    ["help zzz", 'Unknown command "zzz"'],
    ["buidls list", 'Unknown command "buidls". Did you mean builds?'],
    ["help bogus", 'Unknown command "bogus"'],
    ["sessions help", 'Unknown command "help"'],
    ["__proto__", 'Unknown command "__proto__"'],
    ["constructor", 'Unknown command "constructor"'],
    ["sessions", "`playtest sessions` requires a subcommand"],
    ["--json", "No command specified"],
  ])("in `%s`", async (line, message) => {
    const run = await unsent(line.split(" "));
    expect(run.code).toBe(2);
    expect(run.err.split("\n")[0]).toBe(`error: ${message}`);
    const [, hint] = run.err.split("\n");
    expect(hint).toMatch(message.endsWith("?") ? /^$/ : /^hint: See `playtest .*--help`\.$/);
  });

  test.each([
    ["sessions nosuch", "sessions --help"],
    ["builds nosuch", "builds --help"],
    ["admin keys nosuch", "admin keys --help"],
    ["-g ember sessions nosuch", "sessions --help"],
    ["-g ember builds blame", "builds blame --help"],
    ["--profile mine sessions", "sessions --help"],
    ["export sessions --bogus", "export --help"],
    ["testers get nosuch --bogus", "testers get --help"],
    ["zzz", "--help"],
  ])("in `%s` refers to help that exists", async (line, help) => {
    expect((await unsent(line.split(" "))).err).toContain(`\nhint: See \`playtest ${help}\`.\n`);
  });

  test("is reported as JSON when a JSON flag appears anywhere", async () => {
    for (const line of [
      "sesions --json",
      "sessions lst --format json",
      "--format ndjson sessions list --limt 5",
    ]) {
      const run = await unsent(line.split(" "));
      expect(JSON.parse(run.err.trimEnd().split("\n").at(-1) ?? "").error.exitCode).toBe(2);
    }
  });
});

describe("flags", () => {
  test.each([
    "-g ember sessions list --limit 5",
    "sessions -g ember list --limit=5",
    "sessions list --limit 5 -gember",
    "sessions list --limit 5 --game=ember",
    "--format json --game ember sessions list --limit 5",
  ])("can be anywhere: %s", async (line) => {
    const { transport, requests } = script({ body: responseBodies.listSessions });
    const run = await runCli(line.split(" "), { env, transport });
    expect([run.code, requests.map((request) => new URL(request.url).search)]).toEqual([
      0,
      ["?game=ember&limit=5&offset=0"],
    ]);
  });

  test("that are repeated use the last value", async () => {
    const { transport, requests } = script({ body: responseBodies.listSessions });
    await runCli(["sessions", "list", "--limit", "5", "--limit", "6"], { env, transport });
    expect(requests[0]?.url).toContain("limit=6");
  });

  test("for times use the time zone in --tz, and ages count from now", async () => {
    const { transport, requests } = script({ body: responseBodies.listSessions });
    const line = ["sessions", "list", "--tz", "Europe/Berlin", "--from", "2026-02-01", "--to", "36h"];
    await runCli(line, { env, transport });
    const { searchParams } = new URL(requests[0]?.url ?? "");
    expect(
      [searchParams.get("from"), searchParams.get("to")].map((text) => new Date(Number(text)).toISOString()),
    ).toEqual(["2026-01-31T23:00:00.000Z", "2026-02-28T00:00:00.000Z"]);
  });
});

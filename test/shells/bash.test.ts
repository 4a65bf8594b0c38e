/** Tests of completions in bash. */
import { afterEach, describe, expect, test } from "vitest";
import {
  completeNames,
  completeSpecialNames,
  completions,
  createShellFixture,
  hostileNames,
  namesSpecialAtStart,
  runShell,
  Terminal,
} from "./shell-fixture.ts";

const source = completions("playtest.bash");
const fixture = await createShellFixture({
  games: ["ember", "tidepool", ...hostileNames],
  builds: ["0.9.0", "1.0 beta", "v:1=2"],
  sessions: ["sess_1", "sess_2"],
  batches: ["ptb_1"],
  experiments: ["exp_1"],
});

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The candidates for a line, which is split like readline does. */
async function candidates(line: string, words = line.split(/(?<=[=])|(?=[=])| /)): Promise<string[]> {
  const setUp = [
    `source ${quoted(source)}`,
    `COMP_LINE=${quoted(line)} COMP_POINT=${line.length} COMP_CWORD=${words.length - 1}`,
    `COMP_WORDS=(${words.map(quoted).join(" ")})`,
    "_playtest",
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ];
  return await runShell(fixture, "bash", ["--norc", "-c", setUp.join("\n")]);
}

describe("bash offers", () => {
  test.each([
    ["playtest ga", ["games", "gate"]],
    ["playtest games ", ["list", "get", "prompts"]],
    ["playtest admin b", ["batches", "builds", "budgets"]],
    ["playtest admin batches re", ["revoke-key", "redeem"]],
    ["playtest admin batches create --fu", ["--fulfillment"]],
    ["playtest sessions list --st", ["--status"]],
    ["playtest sessions list --status ", ["pending", "transcribing", "processing", "analyzed", "failed"]],
    ["playtest sessions list --status=an", ["analyzed"]],
    ["playtest --format nd", ["ndjson"]],
    ["playtest games list --format=", ["table", "json", "ndjson", "csv", "tsv", "md"]],
    ["playtest --game ember builds compare --fail-on introduced,got_l", ["introduced,got_larger"]],
    ["playtest help builds c", ["compare"]],
    ["playtest help ses", ["sessions"]],
    ["playtest help exit", ["exit-codes"]],
    ["playtest completion ", ["bash", "zsh", "fish", "powershell"]],
    ["playtest config set g", ["game"]],
    ["playtest games get emb", ["ember"]],
    ["playtest builds list -g tide", ["tidepool"]],
    ["playtest builds list --game=tide", ["tidepool"]],
    ["playtest builds get ", ["0.9.0", "1.0\\ beta", "v:1=2", "latest", "previous"]],
    ["playtest builds compare 0.9.0 1", ["1.0\\ beta"]],
    ["playtest builds suggestions --env x la", ["latest"]],
    ["playtest heatmap --build 0", ["0.9.0"]],
    ["playtest sessions get ", ["sess_1", "sess_2"]],
    ["playtest batches keys p", ["ptb_1"]],
    ["playtest experiments compare ", ["exp_1"]],
    ["playtest games list ", []],
    ["playtest nonsense ", []],
  ])("%j", async (line, expected) => {
    expect(await candidates(line)).toEqual(expected);
  });

  test("programs and files after the -- of server exec", async () => {
    expect(await candidates("playtest server exec --demo -- mkfif")).toContain("mkfifo");
  });

  test("global flags in addition to the command's own", async () => {
    const flags = await candidates("playtest builds get -");
    expect(flags).toEqual(expect.arrayContaining(["--env", "--json", "-g", "--game", "--help"]));
    expect(flags).not.toContain("--status");
  });

  test("the rest of a word that bash splits", async () => {
    expect(await candidates("playtest builds get v:", ["playtest", "builds", "get", "v", ":"])).toEqual([
      "1=2",
    ]);
    const words = ["playtest", "builds", "get", "v", ":", "1", "=", "2"];
    expect(await candidates("playtest builds get v:1=2", words)).toEqual(["2"]);
  });
});

describe("at a terminal, bash completes", () => {
  let terminal: Terminal;
  afterEach(() => terminal.end());

  async function start(where = fixture): Promise<void> {
    terminal = new Terminal(where, "bash --norc -i");
    terminal.type(`bind 'set enable-bracketed-paste off'; source ${quoted(source)}; PS1=rea''dy:\r`);
    await terminal.until(() => terminal.screen.includes("ready:"));
  }

  test("hostile names as literal text", async () => {
    await start();
    expect(await completeNames(fixture, terminal, "playtest games get ")).toEqual(hostileNames);
    expect(fixture.pwned()).toBe(false);
  });

  test("hostile names after the = of a flag", async () => {
    await start();
    const got = await completeNames(fixture, terminal, "playtest games list --game=");
    expect(got).toEqual(hostileNames.map((name) => `--game=${name}`));
    expect(fixture.pwned()).toBe(false);
  });

  test.each(["'", '"'])("hostile names inside %s", async (quote) => {
    await start();
    // Bash expands history marks inside double quotes, so names with one are not offered there.
    const names = hostileNames.filter((name) => quote === "'" || !name.includes("!"));
    expect(await completeNames(fixture, terminal, `playtest games get ${quote}`, names)).toEqual(names);
    expect(fixture.pwned()).toBe(false);
  });

  test("names that start with special characters", async () => {
    const other = await createShellFixture(namesSpecialAtStart);
    await start(other);
    expect(await completeSpecialNames(other, terminal)).toEqual(["~root", "#hash", "=zsh"]);
  });

  test("files for commands with file arguments", async () => {
    await start();
    const before = fixture.calls().length;
    terminal.type("playtest ingest telemetry not\t\r");
    await terminal.until(() => fixture.calls().length > before);
    expect(fixture.calls().at(-1)).toEqual(["ingest", "telemetry", "notes.ndjson"]);
  });
});

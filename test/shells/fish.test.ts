/** Tests of completions in fish. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  completeNames,
  completeSpecialNames,
  completions,
  createShellFixture,
  hostileNames,
  namesSpecialAtStart,
  runShell,
  type ShellFixture,
  Terminal,
} from "./shell-fixture.ts";

const fixture = await createShellFixture({
  games: ["ember", "tidepool", ...hostileNames],
  builds: ["0.9.0", "1.0 beta", "v:1=2"],
  sessions: ["sess_1", "sess_2"],
  batches: ["ptb_1"],
  experiments: ["exp_1"],
});
const source = `source ${completions("playtest.fish")}`;

/** The candidates for a line: words, each followed by a tab and a description. */
async function candidatesWithDescriptions(line: string): Promise<string[]> {
  const script = `${source}; complete -C '${line}'`;
  return await runShell(fixture, "fish", ["--no-config", "-c", script]);
}

async function candidates(line: string): Promise<string[]> {
  return (await candidatesWithDescriptions(line)).map((one) => one.split("\t")[0] ?? "");
}

describe("fish offers", () => {
  test.each([
    ["playtest ga", ["games", "gate"]],
    ["playtest games ", ["list", "get", "prompts"]],
    ["playtest admin bat", ["batches"]],
    ["playtest admin batches re", ["revoke-key", "redeem"]],
    ["playtest admin batches create --fu", ["--fulfillment"]],
    ["playtest sessions list --stat", ["--status"]],
    ["playtest sessions list --status ", ["pending", "transcribing", "processing", "analyzed", "failed"]],
    ["playtest sessions list --status=an", ["--status=analyzed"]],
    ["playtest --format nd", ["ndjson"]],
    ["playtest --game ember builds compare --fail-on introduced,got_l", ["introduced,got_larger"]],
    ["playtest help builds c", ["compare"]],
    ["playtest help ses", ["sessions"]],
    ["playtest help exit", ["exit-codes"]],
    ["playtest completion ", ["bash", "zsh", "fish", "powershell"]],
    ["playtest config set g", ["game"]],
    ["playtest games get emb", ["ember"]],
    ["playtest builds list --game=tide", ["--game=tidepool"]],
    ["playtest builds get ", ["0.9.0", "1.0 beta", "v:1=2", "latest", "previous"]],
    ["playtest builds compare 0.9.0 1", ["1.0 beta"]],
    ["playtest heatmap --build 0", ["0.9.0"]],
    ["playtest sessions get ", ["sess_1", "sess_2"]],
    ["playtest batches keys p", ["ptb_1"]],
    ["playtest experiments compare ", ["exp_1"]],
    ["playtest ingest telemetry not", ["notes.ndjson"]],
    ["playtest admin batches add-keys x --file=not", ["--file=notes.ndjson"]],
    ["playtest games list ", []],
  ])("%j", async (line, expected) => {
    expect((await candidates(line)).sort()).toEqual([...expected].sort());
  });

  test("programs and files after the -- of server exec", async () => {
    expect(await candidates("playtest server exec --demo -- mkfif")).toContain("mkfifo");
  });

  test("descriptions", async () => {
    expect(await candidatesWithDescriptions("playtest gam")).toEqual(["games\tList and show games"]);
    expect(await candidatesWithDescriptions("playtest games list --prof")).toEqual([
      "--profile\tprofile with settings and keys",
    ]);
  });
});

describe("at a terminal, fish completes hostile names as literal text", () => {
  let terminal: Terminal;
  beforeAll(async () => {
    terminal = await start(fixture);
  });
  afterAll(() => terminal.end());

  async function start(where: ShellFixture): Promise<Terminal> {
    const setUp = `${source}; function fish_prompt; echo rea''dy: ; end`;
    const created = new Terminal(where, `fish --no-config -i -C "${setUp}"`);
    await created.until(() => created.screen.includes("ready:"));
    return created;
  }

  test("that start with special characters, except ~, which fish does not quote", async () => {
    const other = await createShellFixture(namesSpecialAtStart);
    const another = await start(other);
    expect(await completeSpecialNames(other, another)).toEqual([undefined, "#hash", "=zsh"]);
    await another.end();
  });

  test.each(["", "'", '"'])("after %j", async (quote) => {
    expect(await completeNames(fixture, terminal, `playtest games get ${quote}`)).toEqual(hostileNames);
    expect(fixture.pwned()).toBe(false);
  });

  test("after the = of a flag", async () => {
    const got = await completeNames(fixture, terminal, "playtest games list --game=");
    expect(got).toEqual(hostileNames.map((name) => `--game=${name}`));
    expect(fixture.pwned()).toBe(false);
  });
});

/** Tests of completions in zsh, at a terminal because its completion system requires one. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  completeNames,
  completeSpecialNames,
  completions,
  createShellFixture,
  hostileNames,
  namesSpecialAtStart,
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

/** Records the calls of compadd: each matching word and its description, on separate lines. */
const setUp = (folder: string) => `
autoload -Uz compinit && compinit -u -d ${folder}/dump
source ${completions("_playtest")}
_capture() {
  compadd() {
    local -a got shown; local at
    builtin compadd -O got -D shown "$@"
    local -a plain; builtin compadd -A plain "$@"
    print -rl -- "\${got[@]}" >> ${folder}/captured
    builtin compadd "$@"
  }
  _main_complete
  unfunction compadd
  print done >> ${folder}/captured-done
  compstate[insert]='' compstate[list]=''
}
zle -C capture complete-word _capture
bindkey '^T' capture
PS1=rea''dy:
`;

let terminal: Terminal;
beforeAll(async () => {
  terminal = await start(fixture);
});
afterAll(() => terminal.end());

async function start(where: ShellFixture): Promise<Terminal> {
  const file = join(where.folder, "setup.zsh");
  writeFileSync(file, setUp(where.folder));
  const created = new Terminal(where, "zsh -f -i");
  created.type(`source ${file}\r`);
  await created.until(() => created.screen.includes("ready:"));
  return created;
}

/** The candidates for a line. */
async function candidates(line: string): Promise<string[]> {
  const [words, done] = ["captured", "captured-done"].map((name) => join(fixture.folder, name));
  for (const file of [words, done]) rmSync(file ?? "", { force: true });
  terminal.type(`${line}\u0014`);
  await terminal.until(() => existsSync(done ?? ""));
  // Ctrl-U deletes the line.
  terminal.type("\u0015");
  const text = existsSync(words ?? "") ? readFileSync(words ?? "", "utf8") : "";
  return [...new Set(text.split("\n").filter((word) => word !== ""))];
}

describe("zsh offers", () => {
  test.each([
    ["playtest ga", ["games", "gate"]],
    ["playtest games ", ["list", "get", "prompts"]],
    ["playtest admin b", ["batches", "budgets", "builds"]],
    ["playtest admin batches re", ["redeem", "revoke-key"]],
    ["playtest admin batches create --fu", ["--fulfillment"]],
    ["playtest sessions list --st", ["--status"]],
    ["playtest sessions list --status ", ["pending", "transcribing", "processing", "analyzed", "failed"]],
    ["playtest sessions list --status=an", ["analyzed"]],
    ["playtest --format nd", ["ndjson"]],
    ["playtest --game ember builds compare --fail-on introduced,got_l", ["got_larger"]],
    ["playtest help builds c", ["compare"]],
    ["playtest help ses", ["sessions"]],
    ["playtest help exit", ["exit-codes"]],
    ["playtest completion ", ["bash", "zsh", "fish", "powershell"]],
    ["playtest config set g", ["game"]],
    ["playtest games get emb", ["ember"]],
    ["playtest builds list --game=tide", ["tidepool"]],
    ["playtest builds get ", ["0.9.0", "1.0 beta", "v:1=2", "latest", "previous"]],
    ["playtest builds compare 0.9.0 1", ["1.0 beta"]],
    ["playtest heatmap --build 0", ["0.9.0"]],
    ["playtest sessions get ", ["sess_1", "sess_2"]],
    ["playtest batches keys p", ["ptb_1"]],
    ["playtest experiments compare ", ["exp_1"]],
    ["playtest ingest telemetry not", ["notes.ndjson"]],
    ["playtest games list ", []],
  ])("%j", async (line, expected) => {
    expect((await candidates(line)).sort()).toEqual([...expected].sort());
  });

  test("programs and files after the -- of server exec", async () => {
    expect(await candidates("playtest server exec --demo -- mkfif")).toContain("mkfifo");
  });
});

describe("zsh completes hostile names as literal text", () => {
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

test("zsh completes names that start with special characters", async () => {
  const other = await createShellFixture(namesSpecialAtStart);
  const another = await start(other);
  expect(await completeSpecialNames(other, another)).toEqual(["~root", "#hash", "=zsh"]);
  await another.end();
});

test("zsh autoloads the script from a function folder", async () => {
  const other = await createShellFixture({ games: ["ember"] });
  const setUp = `fpath=(${completions(".")} $fpath); autoload -Uz compinit; compinit -u -d dump; PS1=rea''dy:`;
  const another = new Terminal(other, "zsh -f -i");
  another.type(`${setUp}\r`);
  await another.until(() => another.screen.includes("ready:"));
  another.type("playtest games get e\t\r");
  await another.until(() => other.calls().length > 0);
  expect(other.calls()).toEqual([["games", "get", "ember"]]);
  await another.end();
});

test("zsh shows descriptions of commands", async () => {
  terminal.screen = "";
  terminal.type("playtest \t");
  await terminal.until(() => terminal.screen.includes("List and show playtest sessions"));
  terminal.type("\u0015");
});

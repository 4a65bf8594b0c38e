/** The program among other programs: readers that leave, streams that are closed or full, files, and signals. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { listening, playtest, root } from "../cli/program.ts";
import { pageOf, SESSION } from "../client/response-fixtures.ts";
import { freshFolder } from "../harness.ts";

const TOTAL = 1000;

/** A service of ten pages of sessions, each 100 of 2 KB, and what it was asked. */
async function serve() {
  const seen: string[] = [];
  const port = await listening((request, response) => {
    seen.push(request.url ?? "");
    const { searchParams } = new URL(`http://x${request.url}`);
    const offset = Number(searchParams.get("offset") ?? 0);
    const count = Math.min(Number(searchParams.get("limit") ?? 20), TOTAL - offset);
    const items = Array.from({ length: count }, (_, at) => ({
      ...SESSION,
      id: `sess_${offset + at}`,
      title: "long ".repeat(400),
    }));
    response.end(JSON.stringify(pageOf(items, TOTAL, offset + count < TOTAL)));
  });
  return { seen, env: { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" } };
}

/** Runs a script of bash in which `playtest` is the program, in a home of its own. */
async function bash(script: string, env: Readonly<Record<string, string>>) {
  const home = freshFolder();
  const program = `playtest() { '${process.execPath}' '${join(root, "bin/playtest.js")}' "$@"; }`;
  const run = await execa("bash", ["-c", `${program}\n${script}`], {
    cwd: home,
    reject: false,
    extendEnv: false,
    stdin: "ignore",
    env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, ...env },
  });
  // That there is more than is shown is told in any case.
  const err = run.stderr.replace(/^Showing .* to show more\.\n?/gm, "");
  return { home, code: run.exitCode, out: run.stdout, err };
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash that fills it in
const CODES = 'echo "${PIPESTATUS[*]}"';

describe("a reader that leaves", () => {
  test.each(["table", "json", "ndjson", "csv", "md"])("after a line of %s is no failure", async (format) => {
    const { env } = await serve();
    const run = await bash(`playtest sessions list --limit 100 --format ${format} | head -1; ${CODES}`, env);
    expect([run.code, run.out.split("\n").at(-1), run.err]).toEqual([0, "0 0", ""]);
    expect(run.out.split("\n").length).toBe(2);
  });

  test("after a line of many pages stops the walk", async () => {
    const { env, seen } = await serve();
    const run = await bash(`playtest sessions list --all --format ndjson | head -1; ${CODES}`, env);
    expect([run.out.split("\n").at(-1), run.err]).toEqual(["0 0", ""]);
    expect(JSON.parse(run.out.split("\n")[0] ?? "").id).toBe("sess_0");
    expect(seen.length).toBeLessThan(TOTAL / 100);
  });

  test("before help is written is no failure", async () => {
    const run = await bash(`playtest --help | true; ${CODES}`, {});
    expect([run.out, run.err]).toEqual(["0 0", ""]);
  });
});

describe("a closed stream", () => {
  test("stdout takes what nobody wants, and the exit code stands", async () => {
    const { env } = await serve();
    expect(await bash("playtest sessions list >&-", env)).toMatchObject({ code: 0, err: "" });
    expect(await bash("playtest sessions list --nope >&-", env)).toMatchObject({ code: 2 });
  });

  test("stderr costs nothing but the talk", async () => {
    const { env } = await serve();
    const run = await bash("playtest sessions list --limit 1 --jq '.items[].id' 2>&-", env);
    expect(run).toMatchObject({ code: 0, out: "sess_0" });
    expect(await bash("playtest sessions list --nope 2>&-", env)).toMatchObject({ code: 2, out: "" });
  });

  test("stdin is an empty one: reading works, and login tells what it lacks", async () => {
    const { env } = await serve();
    const read = await bash("playtest sessions list --limit 1 --jq '.items[].id' <&-", env);
    expect(read).toMatchObject({ code: 0, out: "sess_0", err: "" });
    const { PLAYTEST_BASE_URL } = env;
    const login = await bash("playtest login <&-", { PLAYTEST_BASE_URL });
    expect([login.code, login.err.split("\n")[0]]).toEqual([2, "error: No key provided"]);
  });

  test("all three at once harm no exit code", async () => {
    const { env } = await serve();
    expect((await bash("playtest sessions list <&- >&- 2>&-", env)).code).toBe(0);
    expect((await bash("playtest sessions get <&- >&- 2>&-", env)).code).toBe(2);
  });
});

describe("a full disk", () => {
  test.each([
    "sessions list",
    "sessions list --all --format csv",
    "sessions list --json",
    "--help",
    "--version",
  ])("under the output of `%s` is exit code 3, and told", async (line) => {
    const { env } = await serve();
    const run = await bash(`playtest ${line} > /dev/full`, env);
    expect([run.code, run.err.split("\n").slice(0, 2).join("\n")]).toEqual([
      3,
      "error: The disk is full\nhint: Free up disk space and run the command again.",
    ]);
  });

  // A limit on the size of files stands in for a disk: a write fails half way in the same manner.
  test("under the config file keeps the one that was there, and leaves no other", async () => {
    const script = `
      playtest config set game ember && cp playtest/config.json before &&
      { ulimit -f 0; playtest config set game tidepool 2>&1 | cat; ${CODES}; }`;
    const run = await bash(script, {});
    expect(run.out).toMatch(
      /^Set game to ember.*\nerror: Cannot write .*config\.json: EFBIG.*\nhint: .*space.*\n3 0$/,
    );
    expect(readFileSync(join(run.home, "playtest", "config.json"), "utf8")).toBe(
      readFileSync(join(run.home, "before"), "utf8"),
    );
    expect(readdirSync(join(run.home, "playtest")).filter((name) => /^config/.test(name))).toEqual([
      "config.json",
    ]);
  });
});

test.each(["table", "json", "ndjson", "csv", "tsv", "md"])(
  "%s in a file is what a pipe gets, byte for byte",
  async (format) => {
    const { env } = await serve();
    const list = `playtest sessions list --limit 150 --format ${format}`;
    const run = await bash(`${list} > file; ${list} | cat > pipe; cmp file pipe && wc -c < file`, env);
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(Number(run.out)).toBeGreaterThan(10_000);
  },
);

test("SIGTERM during a request is exit code 143, SIGINT 130, and each is told", async () => {
  for (const [signal, code, told] of [
    ["SIGTERM", 143, "error: Terminated"],
    ["SIGINT", 130, "error: Interrupted"],
  ] as const) {
    let asked = () => {};
    const request = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const port = await listening(() => asked());
    const env = { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" };
    const child = playtest(["games", "list"], { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    await request;
    child.kill(signal);
    const { exitCode, stderr } = await child;
    expect([exitCode, String(stderr).split("\n")[0]]).toEqual([code, told]);
  }
});

/** The program in shell scripts: readers that exit early, closed streams, full disks, files and signals. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { listening, playtest, root } from "../cli/program.ts";
import { createPage, SESSION } from "../client/response-fixtures.ts";
import { freshFolder } from "../harness.ts";

const TOTAL = 1000;

/** Starts a service with ten pages of 100 sessions of 2 KB, and records the requested URLs. */
async function serve() {
  const requests: string[] = [];
  const port = await listening((request, response) => {
    requests.push(request.url ?? "");
    const { searchParams } = new URL(`http://x${request.url}`);
    const offset = Number(searchParams.get("offset") ?? 0);
    const count = Math.min(Number(searchParams.get("limit") ?? 20), TOTAL - offset);
    const items = Array.from({ length: count }, (_, at) => ({
      ...SESSION,
      id: `sess_${offset + at}`,
      title: "long ".repeat(400),
    }));
    response.end(JSON.stringify(createPage(items, TOTAL, offset + count < TOTAL)));
  });
  return { requests, env: { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" } };
}

/** Runs a bash script in a new home folder. In the script, `playtest` is the program. */
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
  // Lists that are truncated always end with this notice.
  const err = run.stderr.replace(/^Showing .* to show more\.\n?/gm, "");
  return { home, code: run.exitCode, out: run.stdout, err };
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: bash expands it
const CODES = 'echo "${PIPESTATUS[*]}"';

describe("a reader that exits early", () => {
  test.each(["table", "json", "ndjson", "csv", "md"])(
    "does not make the command fail: %s",
    async (format) => {
      const { env } = await serve();
      const run = await bash(
        `playtest sessions list --limit 100 --format ${format} | head -1; ${CODES}`,
        env,
      );
      expect([run.code, run.out.split("\n").at(-1), run.err]).toEqual([0, "0 0", ""]);
      expect(run.out.split("\n").length).toBe(2);
    },
  );

  test("stops requests for further pages", async () => {
    const { env, requests } = await serve();
    const run = await bash(`playtest sessions list --all --format ndjson | head -1; ${CODES}`, env);
    expect([run.out.split("\n").at(-1), run.err]).toEqual(["0 0", ""]);
    expect(JSON.parse(run.out.split("\n")[0] ?? "").id).toBe("sess_0");
    expect(requests.length).toBeLessThan(TOTAL / 100);
  });

  test("does not make --help fail", async () => {
    const run = await bash(`playtest --help | true; ${CODES}`, {});
    expect([run.out, run.err]).toEqual(["0 0", ""]);
  });
});

describe("a closed stream", () => {
  test("as stdout does not change the exit code", async () => {
    const { env } = await serve();
    expect(await bash("playtest sessions list >&-", env)).toMatchObject({ code: 0, err: "" });
    expect(await bash("playtest sessions list --nope >&-", env)).toMatchObject({ code: 2 });
  });

  test("as stderr changes neither the output nor the exit code", async () => {
    const { env } = await serve();
    const run = await bash("playtest sessions list --limit 1 --jq '.items[].id' 2>&-", env);
    expect(run).toMatchObject({ code: 0, out: "sess_0" });
    expect(await bash("playtest sessions list --nope 2>&-", env)).toMatchObject({ code: 2, out: "" });
  });

  test("as stdin is like an empty one: lists work, and login reports the missing key", async () => {
    const { env } = await serve();
    const read = await bash("playtest sessions list --limit 1 --jq '.items[].id' <&-", env);
    expect(read).toMatchObject({ code: 0, out: "sess_0", err: "" });
    const { PLAYTEST_BASE_URL } = env;
    const login = await bash("playtest login <&-", { PLAYTEST_BASE_URL });
    expect([login.code, login.err.split("\n")[0]]).toEqual([2, "error: No key provided"]);
  });

  test("as stdin, stdout and stderr at once does not change the exit code", async () => {
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
  ])("is reported with exit code 3: playtest %s", async (line) => {
    const { env } = await serve();
    const run = await bash(`playtest ${line} > /dev/full`, env);
    expect([run.code, run.err.split("\n").slice(0, 2).join("\n")]).toEqual([
      3,
      "error: The disk is full\nhint: Free up disk space and run the command again.",
    ]);
  });

  // The test limits the size of files, which makes writes fail in the same way as a full disk.
  test("does not change the config file, and leaves no temporary files", async () => {
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
  "%s output is identical in a file and in a pipe",
  async (format) => {
    const { env } = await serve();
    const list = `playtest sessions list --limit 150 --format ${format}`;
    const run = await bash(`${list} > file; ${list} | cat > pipe; cmp file pipe && wc -c < file`, env);
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(Number(run.out)).toBeGreaterThan(10_000);
  },
);

test("SIGTERM and SIGINT during a request exit with 143 and 130 and a message", async () => {
  for (const [signal, code, message] of [
    ["SIGTERM", 143, "error: Terminated"],
    ["SIGINT", 130, "error: Interrupted"],
  ] as const) {
    let onRequest = () => {};
    const request = new Promise<void>((resolve) => {
      onRequest = resolve;
    });
    const port = await listening(() => onRequest());
    const env = { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" };
    const child = playtest(["games", "list"], { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    await request;
    child.kill(signal);
    const { exitCode, stderr } = await child;
    expect([exitCode, String(stderr).split("\n")[0]]).toEqual([code, message]);
  }
});

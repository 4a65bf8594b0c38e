/** Hostile files that a completion reads: it stays silent, ends, runs nothing and offers no dangerous names. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getCacheFilePath } from "../../src/cli/completion/names.ts";
import { playtest } from "../cli/program.ts";
import { freshFolder } from "../harness.ts";

const baseUrl = "http://127.0.0.1:9";
const scope = (home: string) => ({ stateDir: join(home, "playtest"), profile: "default", baseUrl });
const lists = { games: [], builds: [], sessions: [], batches: [], experiments: [] };

/** Ways to put something hostile at a path. */
const hostile: readonly (readonly [string, (path: string) => void])[] = [
  ["a named pipe", (path) => void execFileSync("mkfifo", [path])],
  ["a link to an endless device", (path) => symlinkSync("/dev/zero", path)],
  ["a link to the terminal", (path) => symlinkSync("/dev/tty", path)],
  ["a link to itself", (path) => symlinkSync(path, path)],
  ["a folder", (path) => void mkdirSync(path)],
  ["100 MB", (path) => writeFileSync(path, Buffer.alloc(100_000_000, "["))],
  ["cut JSON", (path) => writeFileSync(path, '{"lists":{"games":[["a')],
  ["deep JSON", (path) => writeFileSync(path, "[".repeat(1_000_000))],
  [
    "other JSON",
    (path) => writeFileSync(path, '{"profile":"default","profiles":"x","game":[],"lists":null}'),
  ],
  ["null", (path) => writeFileSync(path, "null")],
  [
    "a file without permissions",
    (path) => {
      writeFileSync(path, "{}");
      chmodSync(path, 0);
    },
  ],
];

/** Completes a name. The time limit only ends a completion that hangs. */
async function complete(home: string, kind: string, env: Record<string, string> = {}) {
  const { exitCode, stdout, stderr, timedOut } = await playtest(["__complete", kind, "--", "playtest", ""], {
    cwd: join(home, "repo"),
    timeout: 200_000,
    env: {
      XDG_CONFIG_HOME: home,
      XDG_STATE_HOME: home,
      HOME: home,
      PLAYTEST_BASE_URL: baseUrl,
      PLAYTEST_KEY: "k",
      ...env,
    },
  });
  return { exitCode, stdout, stderr, timedOut };
}

function createHome(): string {
  const home = freshFolder();
  mkdirSync(join(home, "repo"));
  mkdirSync(join(home, "playtest", "completion"), { recursive: true });
  return home;
}

const silent = { exitCode: 0, stdout: "", stderr: "", timedOut: false };
const quiet = { PLAYTEST_NO_COMPLETION_REFRESH: "1" };

describe.each(hostile)("%s", (_name, place) => {
  test("instead of the cache, the config file or the file of the repository", async () => {
    for (const find of [
      (home: string) => getCacheFilePath(scope(home)),
      (home: string) => join(home, "playtest", "config.json"),
      (home: string) => join(home, "repo", "playtest.config.json"),
    ]) {
      const home = createHome();
      place(find(home));
      expect(await complete(home, "games", quiet)).toEqual(silent);
    }
  });
});

test("a repository cannot make a command hang with its file", async () => {
  for (const [name, place] of hostile.slice(0, 3)) {
    const home = createHome();
    place(join(home, "repo", "playtest.config.json"));
    const run = await playtest(["config", "list"], { cwd: join(home, "repo"), timeout: 200_000 });
    expect([name, run.timedOut, run.exitCode, run.stderr]).toEqual([
      name,
      false,
      3,
      expect.stringContaining("playtest.config.json"),
    ]);
  }
});

test("names with control characters, marks or flags are not offered, and the others are not evaluated", async () => {
  const home = createHome();
  const names = [
    "\u001b]0;x\u0007",
    "a\nb",
    "a\0",
    "\u202ea",
    "-rf",
    "$(touch pwned)",
    "`touch pwned`",
    "a;b",
    "x".repeat(300),
  ];
  const games = names.map((name) => [name, "game_1", 0]);
  writeFileSync(
    getCacheFilePath(scope(home)),
    JSON.stringify({ profile: "default", baseUrl, lists: { ...lists, games }, readAt: {} }),
  );
  const { stdout, stderr, exitCode } = await complete(home, "games", quiet);
  expect([exitCode, stderr, String(stdout).split("\n")]).toEqual([
    0,
    "",
    ["$(touch pwned)", "`touch pwned`", "a;b"],
  ]);
  expect(readdirSync(join(home, "repo"))).toEqual([]);
});

test("a refresh that cannot write, or whose locks are hostile, stays silent", async () => {
  const unwritable = createHome();
  chmodSync(join(unwritable, "playtest", "completion"), 0o500);
  const blocked = freshFolder();
  mkdirSync(join(blocked, "repo"));
  writeFileSync(join(blocked, "playtest"), "");
  const piped = createHome();
  execFileSync("mkfifo", [join(piped, "playtest", "completion", "refresh-1")]);
  for (const home of [unwritable, blocked, piped]) expect(await complete(home, "games")).toEqual(silent);
});

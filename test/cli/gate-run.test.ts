/** gate run: plays a scripted game with the client for Node, and judges its runs. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { gateVerdict } from "../../src/gate/verdict.ts";
import { freshFolder, runCli } from "../harness.ts";
import { playtest, root, startServer } from "./program.ts";

let folder: string;
let game: string;
beforeAll(async () => {
  folder = freshFolder();
  const source = readFileSync(join(root, "clients", "typescript", "playtest.ts"), "utf8");
  writeFileSync(join(folder, "playtest.js"), (await transform(source, { loader: "ts" })).code);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  game = join(folder, "scripted-game.js");
  copyFileSync(join(root, "test", "clients", "scripted-game.js"), game);
});

interface RunOptions {
  /** How the game ends. */
  readonly ending?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly version?: string;
  /** The program and its first arguments. */
  readonly program?: readonly string[];
}

/** The arguments of gate run. The game writes its process ids and environment to the file `log`. */
function toArgv(
  flags: readonly string[],
  log: string,
  { ending = "", env = {}, version = "b1", program = [process.execPath] }: RunOptions = {},
) {
  const service = env.PLAYTEST_BASE_URL === undefined ? ["--temporary"] : [];
  const own = ["gate", "run", ...service, "--game", "maze", "--build-version", version, ...flags];
  return [...own, "--", ...program, game, ending, log];
}

/** Starts gate run, and returns the file in which the game writes its process ids and environment. */
function start(flags: readonly string[], options: RunOptions = {}) {
  const log = join(freshFolder(), "log");
  const child = playtest(toArgv(flags, log, options), { env: { QUEUE: freshFolder(), ...options.env } });
  const readLog = () =>
    readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { child, log, readLog };
}

async function run(flags: readonly string[], options: RunOptions = {}) {
  const { child, readLog } = start([...flags, "--json"], options);
  const { exitCode, stdout, stderr } = await child;
  // Nothing that the game prints is in the output.
  const verdict = stdout === "" ? null : gateVerdict.parse(JSON.parse(String(stdout)));
  const limits = new Map(verdict?.limits.map(({ name, status, found }) => [name, [status, found]]));
  return { exitCode, verdict, limits, stderr: String(stderr), readLog };
}

/** Runs gate run in this process, which is enough until a game starts. Returns whether one has started, too. */
async function runHere(flags: readonly string[], options: RunOptions = {}) {
  const log = join(freshFolder(), "log");
  const { code, out, err } = await runCli(toArgv(flags, log, options));
  return { code, out, err, hasStarted: existsSync(log) };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("saves the first runs as a baseline, and fails a build whose frames are slower", async () => {
  const file = join(freshFolder(), "baseline.json");
  const first = await run(["--save", file, "--expect", "level_completed", "--expect", "frame-time-p95<=33"], {
    version: "b0",
  });
  expect([first.exitCode, first.verdict?.notes]).toEqual([
    0,
    ["Nothing was compared, because no baseline was given (--against)."],
  ]);
  expect(first.verdict).toMatchObject({
    ...{ a: { version: "no baseline", testers: 0 }, b: { testers: 5, ended: 5, analyzed: 5 } },
    ...{ checks: [], judged: 0, detection: null },
  });
  expect(first.limits.get("expect:frame-time-p95")).toEqual(["passed", "5 of 5"]);
  const equal = await run(["--against", `@${file}`]);
  expect([equal.exitCode, equal.verdict?.verdict]).toEqual([0, "passed"]);
  const report = join(freshFolder(), "gate.xml");
  const slow = await run(["--against", `@${file}`, "--save", file, "--report", `junit=${report}`], {
    env: { FRAME_MS: "40" },
  });
  expect([slow.exitCode, slow.verdict?.reasons]).toEqual([
    10,
    [expect.stringMatching(/^frame-time-p95:dock: .* ms → .* ms, limit/)],
  ]);
  expect(slow.verdict?.notes).toContainEqual(expect.stringMatching(/^5 and 5 runs are few/));
  expect(slow.stderr).toContain("were not saved");
  expect(JSON.parse(readFileSync(file, "utf8")).version).toBe("b0");
  expect(readFileSync(report, "utf8")).toContain("run:telemetry");
});

test("starts each run as another device, with the key that sends and no other", async () => {
  const { exitCode, readLog } = await run(["--runs", "2"], {
    env: {
      PLAYTEST_KEY: "secret",
      PLAYTEST_CI_KEY: "secret",
      PLAYTEST_NOTIFY_SECRET: `whsec_${"A".repeat(32)}`,
    },
  });
  expect(exitCode).toBe(0);
  const variables = readLog().map(({ env }) => env);
  expect(variables).toHaveLength(2);
  for (const env of variables) {
    expect(env).toMatchObject({
      ...{ PLAYTEST_BUILD: "b1", PLAYTEST_ENVIRONMENT: "ci" },
      PLAYTEST_INGEST_KEY: expect.stringMatching(/^pt_ik_/),
    });
    for (const name of ["PLAYTEST_KEY", "PLAYTEST_CI_KEY", "PLAYTEST_NOTIFY_SECRET"])
      expect(env).not.toHaveProperty(name);
  }
  expect(new Set(variables.map((env) => env.PLAYTEST_DEVICE_ID)).size).toBe(2);
});

test.each([
  ["fail", "run:exit", "0 of 2 (exit code 3 in run 1, 2)", 2],
  ["crash", "run:exit", "0 of 2 (ended by SIGSEGV in run 1, 2)", 2],
  ["silent", "run:telemetry", "0 of 2 (sent nothing in run 1, 2)", 0],
])(
  "fails runs that end with %s, counts what they sent, and shows what they printed",
  async (ending, name, found, sent) => {
    const { exitCode, verdict, limits, stderr } = await run(["--runs", "2", "--expect", "level_completed"], {
      ending,
    });
    expect([exitCode, limits.get(name)]).toEqual([10, ["failed", found]]);
    // Also sessions that the game did not end.
    expect(verdict?.b).toMatchObject({ testers: sent, ended: sent, analyzed: sent });
    const completed = sent === 2 ? ["passed", "2 of 2"] : ["failed", found];
    expect(limits.get("expect:level_completed")).toEqual(completed);
    expect(stderr).toContain("Run 1 printed at its end:\n  The game starts.\n");
    expect(stderr).not.toContain("\u001b");
  },
);

describe("all processes of a game end", () => {
  const pidsIn = (readLog: () => { pid?: number; child?: number }[]) =>
    readLog().flatMap(({ pid, child }) => pid ?? child ?? []);

  test("after --run-timeout", async () => {
    const { exitCode, limits, readLog } = await run(["--runs", "1", "--run-timeout", "3s"], {
      ending: "hang",
    });
    expect([exitCode, limits.get("run:exit")]).toEqual([
      10,
      ["failed", "0 of 1 (still running after 3s in run 1)"],
    ]);
    expect(pidsIn(readLog).map(isAlive)).toEqual([false, false]);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("at %s", async (signal, code) => {
    const { child, log, readLog } = start([], { ending: "hang" });
    await expect.poll(() => existsSync(log) && pidsIn(readLog).length, { timeout: 60_000 }).toBe(2);
    child.kill(signal);
    expect((await child).exitCode).toBe(code);
    expect(pidsIn(readLog).map(isAlive)).toEqual([false, false]);
  });
});

test("compares builds of a service, whose earlier runs count too", async () => {
  const { child, ready } = await startServer([
    "--port",
    "0",
    "--database",
    ":memory:",
    "--create-game",
    "maze",
  ]);
  const env = {
    PLAYTEST_BASE_URL: ready.url,
    PLAYTEST_KEY: ready.managementKey ?? "",
    PLAYTEST_INGEST_KEY: ready.ingestKey ?? "",
  };
  const missing = await run(["--against", "b0"], { env });
  expect([missing.exitCode, missing.stderr]).toEqual([44, expect.stringContaining("b0")]);
  await run(["--runs", "4"], { version: "b0", env });
  await run(["--runs", "1"], { version: "b0", env });
  const slow = await run(["--against", "previous"], { env: { ...env, FRAME_MS: "40" } });
  expect(slow.verdict).toMatchObject({ verdict: "failed", a: { version: "b0", testers: 5 } });
  const again = await run(["--runs", "1", "--expect", "frame-time-p95<=33"], { env });
  expect(again.verdict?.notes).toContain("5 earlier runs of b1 counted, too.");
  expect(again.limits.get("expect:frame-time-p95")).toEqual(["passed", "1 of 1"]);
  const shared = await run(["--runs", "2"], {
    version: "b3",
    env,
    program: ["env", "-u", "PLAYTEST_DEVICE_ID", process.execPath],
  });
  expect(shared.limits.get("run:telemetry")?.[0]).toBe("failed");
  expect(shared.verdict?.notes).toContainEqual(expect.stringMatching(/^2 sessions .*PLAYTEST_DEVICE_ID/));
  const renamed = await run(["--runs", "1"], {
    version: "b4",
    env,
    program: ["env", "-u", "PLAYTEST_BUILD", process.execPath],
  });
  expect(renamed.verdict?.notes).toContainEqual(expect.stringMatching(/^A run sent build dev in ci/));
  child.kill("SIGTERM");
});

describe("the build", () => {
  const startedIn = async (cwd: string, env: Record<string, string> = {}) => {
    const argv = ["gate", "run", "--temporary", "--game", "maze", "--runs", "1", "--json", "--", "true"];
    const { out, err } = await runCli(argv, { cwd, env: { PATH: process.env.PATH, ...env } });
    return out === "" ? err : JSON.parse(out).b.version;
  };

  test("is the commit, which is another one if files are changed", async () => {
    const cwd = freshFolder();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=mira", "-c", "user.email=mira@studio.test", ...args], {
        cwd,
      }).toString();
    git("init", "-q");
    writeFileSync(join(cwd, "level"), "1");
    git("add", "level");
    git("commit", "-q", "-m", "Add a level");
    git("tag", "v1");
    const commit = git("rev-parse", "HEAD").slice(0, 12);
    expect(await startedIn(cwd)).toBe(commit);
    writeFileSync(join(cwd, "level"), "2");
    expect(await startedIn(cwd)).toBe(`${commit}-dirty`);
    expect(await startedIn(cwd, { GITHUB_SHA: "0123456789abcdef0123" })).toBe("0123456789ab");
    expect(await startedIn(cwd, { PLAYTEST_BUILD: "0.9.0" })).toBe("0.9.0");
  });

  test("has to be given outside of a working copy", async () => {
    expect(await startedIn(freshFolder())).toContain("is not a Git working copy");
  });
});

test.each([
  [["--against", "b0"], "--against b0 cannot be used with --temporary"],
  [["--runs", "2", "--max-failed-runs", "2"], "--max-failed-runs 2 must be less than --runs 2"],
  [["--expect", "a=>1"], 'Expectation "a=>1" is not valid'],
])("rejects %j before the first run", async (flags, message) => {
  const { code, err, hasStarted } = await runHere(flags);
  expect([code, err, hasStarted]).toEqual([2, expect.stringContaining(message), false]);
});

test("rejects a baseline of another environment before the first run", async () => {
  const file = join(freshFolder(), "baseline.json");
  await run(["--runs", "1", "--save", file]);
  writeFileSync(file, readFileSync(file, "utf8").replace('"environment":"ci"', '"environment":"production"'));
  const { exitCode, stderr } = await run(["--against", `@${file}`]);
  expect([exitCode, stderr]).toEqual([
    3,
    expect.stringContaining("saved from production, but runs are in ci"),
  ]);
});

test.each([
  ["--save", "baseline", ""],
  ["--report", "report", "junit="],
])("checks that the file of %s can be written before the first run", async (flag, what, prefix) => {
  const file = join(freshFolder(), "file");
  writeFileSync(file, "");
  const path = join(file, "folder", "gate");
  const { code, err, hasStarted } = await runHere([flag, `${prefix}${path}`]);
  expect([code, err, hasStarted]).toEqual([
    3,
    expect.stringContaining(`Cannot write the ${what} ${path}: part of its path is a file`),
    false,
  ]);
});

test("reports a command that does not exist, also in reports", async () => {
  const { code, out, err } = await runHere(["--report", "junit"], { program: ["nonesuch"] });
  expect([code, err]).toEqual([2, expect.stringContaining("Cannot run nonesuch: program not found")]);
  expect(out).toContain("Cannot run nonesuch");
});

/**
 * `export` as a process: killed at random moments, locked by another run, or out of disk space. PLAYTEST_KILLS sets how
 * often it is killed, and PLAYTEST_SEED when.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../../src/server/http/listen.ts";
import { DAY, readFiles, sendSampleSessions } from "../export/export-fixtures.ts";
import { freshFolder, startTestService } from "../harness.ts";
import { seed } from "../property.ts";
import { createRandom } from "../random.ts";
import { listening, playtest, root } from "./program.ts";

const KILLS = Number(process.env.PLAYTEST_KILLS ?? 8);

/** The sessions are days old, so that midnight during a test changes nothing. */
const until = Date.now() - 5 * DAY;
const base = ["events", "sessions", "--all-games", "--unpaced", "--to", String(until + DAY)];

let served: { url: string; key: string; stop(): Promise<void> };
beforeAll(async () => {
  const service = await startTestService({ clock: { now: Date.now() } });
  await sendSampleSessions(service, until);
  const listening = await listen(service.app, { host: "127.0.0.1", port: 0 });
  const stop = async () => {
    await listening.close();
    await service.stop();
  };
  served = { url: listening.url, key: service.keys.management, stop };
});
afterAll(async () => await served.stop());

const serviceEnv = (url = served.url) => ({ PLAYTEST_BASE_URL: url, PLAYTEST_KEY: served.key });

function run(cwd: string, argv: readonly string[], url?: string) {
  return playtest(["export", ...base, ...argv], { cwd, env: serviceEnv(url) });
}

const listLeftovers = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /draft|lock/.test(name));

describe("an export that is killed at a random moment and run again", () => {
  test.each([
    ["SIGKILL", "full", ["--out", "x", "--format", "csv", "--gzip"]],
    ["SIGKILL", "resumed", ["--out", "x", "--since-last"]],
    ["SIGTERM", "full", ["--out", "x", "--format", "csv", "--gzip"]],
    ["SIGTERM", "resumed", ["--out", "x", "--since-last"]],
  ] as const)(
    `leaves the same files as an uninterrupted export: %s, %s (PLAYTEST_SEED=${seed})`,
    async (signal, _kind, argv) => {
      const share = createRandom(seed);
      const expectedFolder = freshFolder();
      const started = performance.now();
      expect((await run(expectedFolder, argv)).exitCode).toBe(0);
      const durationMs = performance.now() - started;
      const expected = readFiles(join(expectedFolder, "x"));
      let cwd = freshFolder();
      let killed = 0;
      for (let n = 0; n < KILLS; n += 1) {
        const child = run(cwd, argv);
        await sleep(share() * durationMs);
        child.kill(signal);
        const ended = await child;
        if (ended.exitCode !== 0) {
          killed += 1;
          // SIGTERM has no handler before the export starts. Then, the export cleans up and reports an error.
          if (ended.signal === undefined) {
            expect([ended.exitCode, listLeftovers(cwd)]).toEqual([143, []]);
            expect(ended.stderr).toContain("error: Terminated\n");
          } else expect(ended.signal).toBe(signal);
        }
        // After every third kill, the export runs to its end and is compared.
        if (n % 3 !== 2 && n !== KILLS - 1) continue;
        expect((await run(cwd, argv)).exitCode).toBe(0);
        expect(readFiles(join(cwd, "x"))).toEqual(expected);
        expect(listLeftovers(join(cwd, "x"))).toEqual([]);
        cwd = freshFolder();
      }
      expect(killed).toBeGreaterThan(0);
    },
    60_000 + KILLS * 6000,
  );
});

test("a concurrent run exits with code 13, and the lock of a killed run is taken over", async () => {
  const cwd = freshFolder();
  // This server accepts the request and never responds.
  const port = await listening();
  const first = run(cwd, ["--out", "x"], `http://127.0.0.1:${port}`);
  const lock = join(cwd, "x", "_playtest", "lock");
  while (!existsSync(lock)) await sleep(5);
  const second = await run(cwd, ["--out", "x"]);
  expect([second.exitCode, second.stderr]).toEqual([
    13,
    expect.stringContaining(`Another export is running (process ${first.pid})`),
  ]);
  expect(listLeftovers(join(cwd, "x"))).toEqual([join("_playtest", "lock")]);
  first.kill("SIGKILL");
  await first;
  expect(existsSync(lock)).toBe(true);
  const third = await run(cwd, ["--out", "x"]);
  expect([third.exitCode, existsSync(lock)]).toEqual([0, false]);
});

test("an interrupted run releases the lock and leaves no draft or empty folder", async () => {
  const cwd = freshFolder();
  const first = run(cwd, ["--out", "x"], `http://127.0.0.1:${await listening()}`);
  while (!existsSync(join(cwd, "x", "_playtest", "lock"))) await sleep(5);
  first.kill("SIGTERM");
  // Nothing was written, so the created folder is removed too.
  expect([(await first).exitCode, existsSync(join(cwd, "x"))]).toEqual([143, false]);
});

test("at the file size limit, a run leaves no partial file and keeps the last complete one", async () => {
  const cwd = freshFolder();
  mkdirSync(join(cwd, "home"));
  const words = ["export", "sessions", "--all-games", "--out", "s.ndjson", "--unpaced"];
  expect((await playtest(words, { cwd, env: serviceEnv() })).exitCode).toBe(0);
  const before = readFileSync(join(cwd, "s.ndjson"));
  expect(before.length).toBeGreaterThan(4096);
  const script = `trap '' XFSZ; ulimit -f 4; exec "$@"`;
  const program = [process.execPath, join(root, "bin", "playtest.js"), ...words];
  const env = { PATH: process.env.PATH, HOME: join(cwd, "home"), ...serviceEnv() };
  const limited = await execa("bash", ["-c", script, "bash", ...program], { cwd, env, reject: false });
  expect(limited.exitCode).toBe(3);
  expect(readFileSync(join(cwd, "s.ndjson")).equals(before)).toBe(true);
  expect(listLeftovers(cwd)).toEqual([]);
});

/** Whether a test can mount a file system, which containers may not allow. */
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", freshFolder()]).status === 0;

test.runIf(canMount)(
  "on a full disk, a run keeps the last complete files and reports the error",
  async () => {
    const cwd = freshFolder();
    const [disk, home, results] = ["disk", "home", "results"].map((name) => join(cwd, name));
    for (const folder of [disk, home, results]) mkdirSync(folder ?? "");
    // The disk has space for one export but not for a second draft. Its content is copied out afterwards.
    const script = `
    mount -t tmpfs -o size="$SIZE" none disk || exit 90
    "$@" --out disk/s.ndjson || exit 91
    cp disk/s.ndjson results/before
    "$@" --out disk/s.ndjson 2> results/stderr
    echo $? > results/code
    ls -A disk > results/names
    cp disk/s.ndjson results/after`;
    const words = ["export", "sessions", "--all-games", "--unpaced"];
    const program = [process.execPath, join(root, "bin", "playtest.js"), ...words];
    const first = await playtest([...words, "--out", "whole.ndjson"], { cwd, env: serviceEnv() });
    expect(first.exitCode).toBe(0);
    const size = readFileSync(join(cwd, "whole.ndjson")).length;
    const env = { PATH: process.env.PATH, HOME: home, SIZE: `${Math.ceil(size * 1.5)}`, ...serviceEnv() };
    const shell = await execa("unshare", ["-rm", "bash", "-c", script, "bash", ...program], { cwd, env });
    expect(shell.exitCode).toBe(0);
    const read = (name: string) => readFileSync(join(results ?? "", name), "utf8");
    expect(read("code").trim()).toBe("3");
    expect(read("stderr")).toMatch(/Cannot write .*s\.ndjson.*: the disk is full/);
    expect(read("after")).toBe(read("before"));
    expect(read("names").split("\n").filter(Boolean)).toEqual(["s.ndjson", "s.ndjson.manifest.json"]);
  },
);

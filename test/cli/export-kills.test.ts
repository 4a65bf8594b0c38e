/**
 * `export` as a process: killed at any moment, held by another run, out of space. PLAYTEST_KILLS=100 kills more often;
 * the moments come from PLAYTEST_SEED.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../../src/server/http/listen.ts";
import { DAY, filesIn, playDays } from "../export/played.ts";
import { freshFolder, startTestService } from "../harness.ts";
import { seed } from "../property.ts";
import { createRandom } from "../random.ts";
import { listening, playtest, root } from "./program.ts";

const KILLS = Number(process.env.PLAYTEST_KILLS ?? 8);

/** The play lies days back, so that no midnight falls into a test. */
const until = Date.now() - 5 * DAY;
const base = ["events", "sessions", "--all-games", "--unpaced", "--to", String(until + DAY)];

let served: { url: string; key: string; stop(): Promise<void> };
beforeAll(async () => {
  const service = await startTestService({ clock: { now: Date.now() } });
  await playDays(service, until);
  const listening = await listen(service.app, { host: "127.0.0.1", port: 0 });
  const stop = async () => {
    await listening.close();
    await service.stop();
  };
  served = { url: listening.url, key: service.keys.management, stop };
});
afterAll(async () => await served.stop());

const envOf = (url = served.url) => ({ PLAYTEST_BASE_URL: url, PLAYTEST_KEY: served.key });

function run(cwd: string, argv: readonly string[], url?: string) {
  return playtest(["export", ...base, ...argv], { cwd, env: envOf(url) });
}

const drafts = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /draft|lock/.test(name));

describe("killed at any moment and run again", () => {
  test.each([
    ["whole", ["--out", "x", "--format", "csv", "--gzip"]],
    ["resumed", ["--out", "x", "--since-last"]],
  ])(
    `%s, it ends as if it never was (PLAYTEST_SEED=${seed})`,
    async (_kind, argv) => {
      const share = createRandom(seed);
      const calm = freshFolder();
      const started = performance.now();
      expect((await run(calm, argv)).exitCode).toBe(0);
      const whole = performance.now() - started;
      const expected = filesIn(join(calm, "x"));
      let cwd = freshFolder();
      let killed = 0;
      for (let n = 0; n < KILLS; n += 1) {
        const child = run(cwd, argv);
        await sleep(share() * whole);
        child.kill("SIGKILL");
        if ((await child).signal === "SIGKILL") killed += 1;
        // Every third time it is let come to its end, and compared.
        if (n % 3 !== 2 && n !== KILLS - 1) continue;
        expect((await run(cwd, argv)).exitCode).toBe(0);
        expect(filesIn(join(cwd, "x"))).toEqual(expected);
        expect(drafts(join(cwd, "x"))).toEqual([]);
        cwd = freshFolder();
      }
      expect(killed).toBeGreaterThan(0);
    },
    60_000 + KILLS * 6000,
  );
});

test("a second run at the same time exits 13, and the lock of a killed one is taken over", async () => {
  const cwd = freshFolder();
  // It takes the request and never answers.
  const port = await listening();
  const first = run(cwd, ["--out", "x"], `http://127.0.0.1:${port}`);
  const lock = join(cwd, "x", ".playtest-export.lock");
  while (!existsSync(lock)) await sleep(5);
  const second = await run(cwd, ["--out", "x"]);
  expect([second.exitCode, second.stderr]).toEqual([
    13,
    expect.stringContaining(`process ${first.pid} holds`),
  ]);
  expect(drafts(join(cwd, "x"))).toEqual([".playtest-export.lock"]);
  first.kill("SIGKILL");
  await first;
  expect(existsSync(lock)).toBe(true);
  const third = await run(cwd, ["--out", "x"]);
  expect([third.exitCode, existsSync(lock)]).toEqual([0, false]);
});

test("interrupted, it gives the lock back and leaves no draft, nor an empty folder", async () => {
  const cwd = freshFolder();
  const first = run(cwd, ["--out", "x"], `http://127.0.0.1:${await listening()}`);
  while (!existsSync(join(cwd, "x", ".playtest-export.lock"))) await sleep(5);
  first.kill("SIGTERM");
  // Nothing was written, so the folder made for it is gone as well.
  expect([(await first).exitCode, existsSync(join(cwd, "x"))]).toEqual([143, false]);
});

test("out of space, it leaves no half file and the last good one", async () => {
  const cwd = freshFolder();
  mkdirSync(join(cwd, "home"));
  const words = ["export", "sessions", "--all-games", "--out", "s.ndjson", "--unpaced"];
  expect((await playtest(words, { cwd, env: envOf() })).exitCode).toBe(0);
  const before = readFileSync(join(cwd, "s.ndjson"));
  expect(before.length).toBeGreaterThan(4096);
  const script = `trap '' XFSZ; ulimit -f 4; exec "$@"`;
  const program = [process.execPath, join(root, "bin", "playtest.js"), ...words];
  const env = { PATH: process.env.PATH, HOME: join(cwd, "home"), ...envOf() };
  const limited = await execa("bash", ["-c", script, "bash", ...program], { cwd, env, reject: false });
  expect(limited.exitCode).toBe(3);
  expect(readFileSync(join(cwd, "s.ndjson")).equals(before)).toBe(true);
  expect(drafts(cwd)).toEqual([]);
});

/** Whether this machine lets a test mount a file system of its own: containers may not. */
const mounts = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", freshFolder()]).status === 0;

test.runIf(mounts)("on a full disk, it leaves the last good files and says what is missing", async () => {
  const cwd = freshFolder();
  const [disk, home, kept] = ["disk", "home", "kept"].map((name) => join(cwd, name));
  for (const folder of [disk, home, kept]) mkdirSync(folder ?? "");
  // The disk holds one whole export and not another beside it; what is on it afterwards is copied out.
  const script = `
    mount -t tmpfs -o size="$SIZE" none disk || exit 90
    "$@" --out disk/s.ndjson || exit 91
    cp disk/s.ndjson kept/before
    "$@" --out disk/s.ndjson 2> kept/told
    echo $? > kept/code
    ls -A disk > kept/names
    cp disk/s.ndjson kept/after`;
  const words = ["export", "sessions", "--all-games", "--unpaced"];
  const program = [process.execPath, join(root, "bin", "playtest.js"), ...words];
  const first = await playtest([...words, "--out", "whole.ndjson"], { cwd, env: envOf() });
  expect(first.exitCode).toBe(0);
  const size = readFileSync(join(cwd, "whole.ndjson")).length;
  const env = { PATH: process.env.PATH, HOME: home, SIZE: `${Math.ceil(size * 1.5)}`, ...envOf() };
  const shell = await execa("unshare", ["-rm", "bash", "-c", script, "bash", ...program], { cwd, env });
  expect(shell.exitCode).toBe(0);
  const read = (name: string) => readFileSync(join(kept ?? "", name), "utf8");
  expect(read("code").trim()).toBe("3");
  expect(read("told")).toContain("The disk is full");
  expect(read("after")).toBe(read("before"));
  expect(read("names").split("\n").filter(Boolean)).toEqual(["s.ndjson", "s.ndjson.manifest.json"]);
});

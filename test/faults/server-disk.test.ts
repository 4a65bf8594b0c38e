/** A disk that is full, read-only or limited under a running server: nothing is acknowledged that is not stored, reads go on. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { program } from "../cli/program.ts";
import { freshFolder } from "../harness.ts";
import { end } from "../server/real-server.ts";
import { expectReads, expectStored, type Playable, post, REFUSED } from "./play-to-disk.ts";

/** Whether this machine lets a test mount a file system of its own: containers may not. */
const mounts = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", freshFolder()]).status === 0;
const limits = spawnSync("prlimit", ["--version"]).status === 0;

const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) await end(child, "SIGKILL");
});

interface Served extends Playable {
  readonly child: ChildProcess;
  said(): string;
}

/** Starts a server behind a shell's script, which ends in running what it is given. */
async function serveBehind(folder: string, script: string, shell: readonly string[]): Promise<Served> {
  const ready = join(folder, "ready.json");
  const flags = ["--port", "0", "--database", join(folder, "disk", "play.db"), "--create-game", "maze"];
  const words = [
    process.execPath,
    program,
    "server",
    "start",
    ...flags,
    "--limits",
    "off",
    "--ready-file",
    ready,
  ];
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const [command = "bash", ...rest] = [...shell, "bash", "-c", script, "bash", ...words];
  const child = spawn(command, rest, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  running.push(child);
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  for (let tries = 0; !existsSync(ready); tries += 1) {
    if (child.exitCode !== null || tries > 1000) throw new Error(`The server did not start: ${said}`);
    await sleep(20);
  }
  return { child, said: () => said, ...JSON.parse(readFileSync(ready, "utf8")) };
}

/** Fills the disk with play, until it is refused; then frees it, and expects that all goes on without a restart. */
async function playUntilFull(served: Served, free: () => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  const refused: number[] = [];
  // Several at a time, so that those that share a transaction are refused together.
  for (let n = 0; refused.length < 12; n += 4) {
    expect(n).toBeLessThan(20_000);
    await Promise.all(
      [n, n + 1, n + 2, n + 3].map(async (one) => {
        const response = await post(served, one);
        const text = await response.text();
        if (response.status === 202) return void taken.push(one);
        expect([response.status, response.headers.get("retry-after"), text]).toEqual(REFUSED);
        refused.push(one);
      }),
    );
  }
  expect(taken.length).toBeGreaterThan(0);
  await expectReads(served);
  await free();
  for (const n of [...refused, 100_001]) {
    expect((await post(served, n)).status).toBe(202);
    taken.push(n);
  }
  await expectReads(served);
  return taken;
}

it.runIf(mounts)("a full disk is told as 503, and play goes on once there is room", async () => {
  const folder = freshFolder();
  for (const name of ["disk", "kept"]) mkdirSync(join(folder, name));
  // What is on the disk is gone with its namespace: it is copied out once the server has stopped.
  const script = `
    mount -t tmpfs -o size=3m none disk || exit 90
    head -c 1000000 /dev/zero > disk/filler
    (until [ -e free ]; do sleep 0.05; done; rm disk/filler; mount -o remount,size=100m disk; touch freed) &
    "$@" & server=$!
    trap 'kill -TERM $server' TERM
    wait $server; wait $server
    cp disk/play.db* kept/`;
  const served = await serveBehind(folder, script, ["unshare", "-rm"]);
  const taken = await playUntilFull(served, async () => {
    writeFileSync(join(folder, "free"), "");
    while (!existsSync(join(folder, "freed"))) await sleep(10);
  });
  await end(served.child, "SIGTERM");
  expect(served.said()).toMatch(/fault in POST \/api\/telemetry .*(full|disk I\/O error)/);
  await expectStored(join(folder, "kept", "play.db"), taken);
});

it.runIf(limits)("a file that may not grow is told as 503, and play goes on once it may", async () => {
  const folder = freshFolder();
  mkdirSync(join(folder, "disk"));
  const served = await serveBehind(folder, `trap '' XFSZ; exec "$@"`, []);
  const limit = (bytes: string) =>
    execFileSync("prlimit", ["--pid", `${served.child.pid}`, `--fsize=${bytes}:`]);
  limit("2000000");
  const taken = await playUntilFull(served, async () => void limit("unlimited"));
  await end(served.child, "SIGTERM");
  expect(served.said()).toMatch(/fault in POST \/api\/telemetry .*(full|disk I\/O error)/);
  await expectStored(join(folder, "disk", "play.db"), taken);
});

it.runIf(mounts)(
  "a read-only disk is told when the server starts, with the file and the way out",
  async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, "disk"));
    const first = await serveBehind(folder, `exec "$@"`, []);
    await end(first.child, "SIGTERM");
    for (const [script, why] of [
      [
        'mount --bind disk disk && mount -o remount,bind,ro disk || exit 90; "$@"',
        /is (read-only|not accessible)/,
      ],
      [
        'mount -t tmpfs none disk && mount -o remount,ro disk || exit 90; "$@"',
        /is (read-only|not accessible)/,
      ],
    ] as const) {
      const words = [
        process.execPath,
        program,
        "server",
        "start",
        "--port",
        "0",
        "--database",
        "disk/play.db",
      ];
      const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
      const ran = spawnSync("unshare", ["-rm", "bash", "-c", script, "bash", ...words], { cwd: folder, env });
      const told = String(ran.stderr);
      expect([ran.status, told]).toEqual([3, expect.stringContaining(join(folder, "disk", "play.db"))]);
      expect(told).toMatch(why);
      expect(told).toMatch(/--database/);
    }
  },
);

/** A disk that is full, read-only or limited while a server runs: only stored events are acknowledged, and reads continue. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { program } from "../cli/program.ts";
import { freshFolder } from "../harness.ts";
import { end, waitUntilReady } from "../server/real-server.ts";
import { expectReads, expectStored, post, REFUSED, type ServerAccess } from "./send-events.ts";

/** Whether a test may mount a file system. Containers often do not allow it. */
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", freshFolder()]).status === 0;
const canLimit = spawnSync("prlimit", ["--version"]).status === 0;

const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) await end(child, "SIGKILL");
});

interface Served extends ServerAccess {
  readonly child: ChildProcess;
  stderr(): string;
}

/** Starts a server from a shell script that runs its arguments. */
async function serveFromScript(folder: string, script: string, shell: readonly string[]): Promise<Served> {
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
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await waitUntilReady(
    child,
    () => existsSync(ready),
    () => stderr,
  );
  return { child, stderr: () => stderr, ...JSON.parse(readFileSync(ready, "utf8")) };
}

/** Sends events until the disk is full and they are refused, frees space, and checks that the server recovers. */
async function fillDisk(served: Served, free: () => Promise<void>): Promise<number[]> {
  const accepted: number[] = [];
  const refused: number[] = [];
  // Send several at once, so that writes that share a transaction are refused together.
  for (let n = 0; refused.length < 12; n += 4) {
    expect(n).toBeLessThan(20_000);
    await Promise.all(
      [n, n + 1, n + 2, n + 3].map(async (body) => {
        const response = await post(served, body);
        const text = await response.text();
        if (response.status === 202) return void accepted.push(body);
        expect([response.status, response.headers.get("retry-after"), text]).toEqual(REFUSED);
        refused.push(body);
      }),
    );
  }
  expect(accepted.length).toBeGreaterThan(0);
  await expectReads(served);
  await free();
  for (const n of [...refused, 100_001]) {
    expect((await post(served, n)).status).toBe(202);
    accepted.push(n);
  }
  await expectReads(served);
  return accepted;
}

it.runIf(canMount)("a full disk returns 503, and ingest resumes when there is space", async () => {
  const folder = freshFolder();
  for (const name of ["disk", "copy"]) mkdirSync(join(folder, name));
  // The mounted disk disappears with its namespace, so the script copies its files after the server has stopped.
  const script = `
    mount -t tmpfs -o size=3m none disk || exit 90
    head -c 1000000 /dev/zero > disk/filler
    (until [ -e free ]; do sleep 0.05; done; rm disk/filler; mount -o remount,size=100m disk; touch freed) &
    "$@" & server=$!
    trap 'kill -TERM $server' TERM
    wait $server; wait $server
    cp disk/play.db* copy/`;
  const served = await serveFromScript(folder, script, ["unshare", "-rm"]);
  const accepted = await fillDisk(served, async () => {
    writeFileSync(join(folder, "free"), "");
    while (!existsSync(join(folder, "freed"))) await sleep(10);
  });
  await end(served.child, "SIGTERM");
  expect(served.stderr()).toMatch(/error in POST \/api\/telemetry .*(full|disk I\/O error)/);
  await expectStored(join(folder, "copy", "play.db"), accepted);
});

it.runIf(canLimit)("a file size limit returns 503, and ingest resumes when it is lifted", async () => {
  const folder = freshFolder();
  mkdirSync(join(folder, "disk"));
  const served = await serveFromScript(folder, `trap '' XFSZ; exec "$@"`, []);
  const limit = (bytes: string) =>
    execFileSync("prlimit", ["--pid", `${served.child.pid}`, `--fsize=${bytes}:`]);
  limit("2000000");
  const accepted = await fillDisk(served, async () => void limit("unlimited"));
  await end(served.child, "SIGTERM");
  expect(served.stderr()).toMatch(/error in POST \/api\/telemetry .*(full|disk I\/O error)/);
  await expectStored(join(folder, "disk", "play.db"), accepted);
});

it.runIf(canMount)("a read-only disk stops the server at startup, with the file and a hint", async () => {
  const folder = freshFolder();
  mkdirSync(join(folder, "disk"));
  const first = await serveFromScript(folder, `exec "$@"`, []);
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
    const words = [process.execPath, program, "server", "start", "--port", "0", "--database", "disk/play.db"];
    const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
    const ran = spawnSync("unshare", ["-rm", "bash", "-c", script, "bash", ...words], { cwd: folder, env });
    const stderr = String(ran.stderr);
    expect([ran.status, stderr]).toEqual([3, expect.stringContaining(join(folder, "disk", "play.db"))]);
    expect(stderr).toMatch(why);
    expect(stderr).toMatch(/--database/);
  }
});

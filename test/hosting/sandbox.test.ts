/** The command of the systemd unit only does what the sandbox of the unit allows, as strace sees it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeAll, expect, test } from "vitest";
import { program } from "../cli/program.ts";
import { readDeployFile } from "../deploy/deploy-files.ts";
import { freshFolder } from "../harness.ts";
import { requireProgram } from "../require-program.ts";
import { waitUntilReady } from "../server/real-server.ts";

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

beforeAll(async () => {
  await requireProgram("strace", "strace");
  await requireProgram("systemd-analyze", "systemd");
});

/** The values of a setting of the unit. */
const settings = (name: string) =>
  [...readDeployFile("systemd/playtest.service").matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(
    ([, value = ""]) => value,
  );

/** The flags of the unit, with the variables of its environment file. */
function readUnitFlags(): string[] {
  const variables = new Map(
    [...readDeployFile("systemd/playtest.env").matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  const [command = ""] = settings("ExecStart");
  const expanded = command.replaceAll(/\$(\w+)/g, (_, name: string) => variables.get(name) ?? "");
  return expanded.split(/ +/).slice(1).filter(Boolean);
}

interface TracedRun {
  /** The output of strace. */
  readonly trace: string;
  /** The home folder of the service. */
  readonly home: string;
}

/** Runs the command of the unit under strace: starts the server, sends telemetry, waits for its analysis, and stops it. */
async function traceServer(...straceFlags: readonly string[]): Promise<TracedRun> {
  const home = freshFolder();
  const [log, ready] = [join(freshFolder(), "trace"), join(home, "ready.json")];
  const flags = [...readUnitFlags(), "--port", "0", "--create-game", "maze", "--ready-file", ready];
  const child = spawn(
    "strace",
    ["-f", "-qq", ...straceFlags, "-o", log, process.execPath, program, ...flags],
    {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8" },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
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
  const { url, ingestKey, managementKey } = JSON.parse(readFileSync(ready, "utf8"));
  const countSessions = async () => {
    const headers = { authorization: `Bearer ${managementKey}` };
    const page = (await (await fetch(`${url}/api/v1/sessions`, { headers })).json()) as { total: number };
    return page.total;
  };
  const events = ["session_start", "player_death", "session_end"].map((name, at) => ({
    id: `e${at}`,
    name,
    timestamp: Date.now() + at,
  }));
  const sent = await fetch(`${url}/api/telemetry`, {
    method: "POST",
    headers: { authorization: `Bearer ${ingestKey}`, "content-type": "application/json" },
    body: JSON.stringify({ gameId: "maze", clientSessionId: "one", events }),
  });
  expect(sent.status).toBe(202);
  await expect.poll(countSessions).toBe(1);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain("process_open_fds");
  const exited = once(child, "exit");
  // The signal goes to the server. strace ends with it.
  const { stdout } = await execa("pgrep", ["-P", String(child.pid)]);
  process.kill(Number(stdout.trim().split("\n")[0]), "SIGTERM");
  expect(await exited).toEqual([0, null]);
  return { trace: readFileSync(log, "utf8"), home };
}

test("connects to nothing, and opens no other sockets than the unit allows", async () => {
  const { trace } = await traceServer("-e", "trace=%network");
  // Every call that names a target. A socket file of the system, such as that of nscd, is not a host.
  const targets = [
    ...trace.matchAll(/\b(?:connect|sendto|sendmsg|sendmmsg)\(.*?sa_family=(AF_INET6?), (.*)/g),
  ];
  expect(targets.map(([line]) => line)).toEqual([]);
  expect(trace).toMatch(/\blisten\(/);
  expect(trace).toContain('sin_addr=inet_addr("127.0.0.1")');
  const allowed = settings("RestrictAddressFamilies").join(" ").split(" ");
  const families = new Set([...trace.matchAll(/\bsocket\((AF_\w+)/g)].map(([, family]) => family));
  for (const family of families) expect(allowed).toContain(family);
});

test("writes only to its state folder and to temporary files", async () => {
  const { trace, home } = await traceServer("-y", "-e", "trace=%file");
  const writing = trace
    .split("\n")
    .filter((line) =>
      /\b(open|openat|creat)\(.*O_(WRONLY|RDWR|CREAT)|\b(mkdir|rename|unlink|link|symlink)/.test(line),
    )
    .filter((line) => !/ = -1 /.test(line));
  const paths = writing.flatMap((line) => [...line.matchAll(/"(\/[^"]*)"/g)].map(([, path = ""]) => path));
  expect(paths.length).toBeGreaterThan(3);
  const isAllowed = (path: string) =>
    [home, "/tmp/", "/dev/null", "/dev/tty"].some((root) => path.startsWith(root));
  expect(paths.filter((path) => !isAllowed(path))).toEqual([]);
});

test("works if the system calls that the unit refuses fail", async () => {
  const { trace } = await traceServer("-c");
  const used = trace
    .split("\n")
    .map((line) => line.trim().split(/\s+/).at(-1) ?? "")
    .filter((name) => /^[a-z]\w+$/.test(name) && !["syscall", "total"].includes(name));
  expect(used.length).toBeGreaterThan(40);
  const sets = await readCallSets();
  const [allowed = "", refused = ""] = settings("SystemCallFilter");
  const expand = (names: string) => new Set(names.split(" ").flatMap((name) => [...expandSet(sets, name)]));
  const [allowedCalls, refusedCalls] = [expand(allowed), expand(refused.replace(/^~/, ""))];
  const failing = used.filter((name) => !allowedCalls.has(name) || refusedCalls.has(name));
  // Calls for speed or additional protection, which Node and SQLite try first: pkey_alloc, and fchown as root.
  expect(failing.length).toBeLessThan(5);
  if (failing.length === 0) return;
  const calls = failing.join(",");
  const run = await traceServer("-e", `trace=${calls}`, "-e", `inject=${calls}:error=EPERM`);
  expect(run.trace).toContain("(INJECTED)");
});

/** The sets of system calls of systemd, such as `@system-service`, with what they contain. */
async function readCallSets(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { stdout } = await execa("systemd-analyze", ["syscall-filter", "--no-pager"]);
  const sets = new Map<string, string[]>();
  let members: string[] = [];
  for (const line of stdout.split("\n")) {
    const name = line.trim().replace(/^# /, "");
    if (/^(# )?@/.test(line)) members = [];
    if (line.startsWith("@")) sets.set(name, members);
    if (line.startsWith(" ") && !line.trim().startsWith("#")) members.push(name);
  }
  return sets;
}

function expandSet(sets: ReadonlyMap<string, readonly string[]>, name: string): Set<string> {
  if (!name.startsWith("@")) return new Set([name]);
  const members = sets.get(name);
  if (!members) throw new Error(`systemd has no set ${name}`);
  return new Set(members.flatMap((member) => [...expandSet(sets, member)]));
}

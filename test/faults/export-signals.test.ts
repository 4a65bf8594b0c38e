/** Signals during an export: at every request, while it waits for a retry, twice, and while the server stops. */

import { existsSync, readdirSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { constants } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { issueKey } from "../../src/server/accounts/keys.ts";
import { listen } from "../../src/server/http/listen.ts";
import { playtest } from "../cli/program.ts";
import { DAY, readFiles, sendSampleSessions } from "../export/export-fixtures.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";

const until = Date.now() - 5 * DAY;
const argv = ["export", "events", "sessions", "--all-games", "--unpaced", "--to", String(until + DAY)];
const flags = [...argv, "--out", "x", "--since-last", "--format", "csv"];
/** The long form sends a signal at every request, the short form at few of them. */
const STEP = process.env.PLAYTEST_FAULTS === "long" ? 1 : 40;
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
type Signal = (typeof signals)[number];

let service: TestService;
let url: string;
let close: () => Promise<void>;
let expected: Record<string, string>;
let requests = 0;

/** Called for each request to the proxy before it is passed on; true if it answered the request itself. */
type OnRequest = (n: number, response: ServerResponse) => boolean;
const proxies: Server[] = [];

beforeAll(async () => {
  service = await startTestService({ clock: { now: Date.now() } });
  await sendSampleSessions(service, until);
  ({ url, close } = await listen(service.app, { host: "127.0.0.1", port: 0 }));
  const cwd = freshFolder();
  const proxy = await startProxy((n) => {
    requests = n;
    return false;
  });
  const whole = await run(cwd, proxy);
  expect(whole.exitCode).toBe(0);
  expected = readFiles(join(cwd, "x"));
});
afterAll(async () => {
  await close();
  await service.stop();
});
afterEach(() => {
  for (const proxy of proxies.splice(0)) {
    proxy.closeAllConnections();
    proxy.close();
  }
});

/** Every proxy has the same port, because the manifests and the state contain the URL of the service. */
let port = 0;
async function startProxy(onRequest: OnRequest): Promise<Server> {
  let n = 0;
  const target = new URL(url);
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    n += 1;
    if (onRequest(n, outgoing)) return;
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, host: target.host };
    const options = { hostname: target.hostname, port: target.port, method, path, headers, agent: false };
    const forwarded = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  };
  for (const old of proxies.splice(0)) {
    old.closeAllConnections();
    await new Promise((resolve) => old.close(resolve));
  }
  const proxy = createServer(pass);
  await new Promise<void>((resolve) => proxy.listen(port, "127.0.0.1", resolve));
  ({ port } = proxy.address() as AddressInfo);
  proxies.push(proxy);
  return proxy;
}

function run(cwd: string, _proxy: Server, key = service.keys.management) {
  const env = { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: key };
  return playtest(flags, { cwd, env });
}

const listLeftovers = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
        /draft|lock|\.tmp$/.test(name),
      )
    : [];

/** Checks that every file in the folder is complete. Only a process that could not clean up leaves drafts. */
function expectCompleteFiles(cwd: string): void {
  const folder = join(cwd, "x");
  if (!existsSync(folder)) return;
  for (const [name, content] of Object.entries(readFiles(folder)).filter(
    ([file]) => !file.endsWith(".draft"),
  ))
    expect([name, content]).toEqual([name, expected[name]]);
}

/** Runs the export again until its end, and compares its files with those of an uninterrupted export. */
async function expectResumed(cwd: string, key?: string): Promise<void> {
  const resumed = await run(cwd, await startProxy(() => false), key);
  expect([resumed.exitCode, resumed.stderr]).toEqual([0, expect.any(String)]);
  expect(readFiles(join(cwd, "x"))).toEqual(expected);
  expect(listLeftovers(join(cwd, "x"))).toEqual([]);
}

const messages: Record<Signal, string> = {
  SIGTERM: "error: Terminated",
  SIGINT: "error: Interrupted",
  SIGHUP: "error: The terminal was closed",
};

test.each(signals)(
  "%s at a request leaves complete files and no lock, and the next run completes the export",
  async (signal) => {
    const first = 1 + ((signals.indexOf(signal) * 13) % STEP);
    for (let at = first; at <= requests; at += STEP) {
      const cwd = freshFolder();
      let child: ReturnType<typeof run> | null = null;
      const proxy = await startProxy((n) => {
        if (n === at) child?.kill(signal);
        return false;
      });
      child = run(cwd, proxy);
      const { exitCode, stderr } = await child;
      // After the last request, the export may be complete before the signal arrives.
      if (at < requests || exitCode !== 0) {
        expect([at, exitCode]).toEqual([at, 128 + constants.signals[signal]]);
        expect(stderr).toContain(messages[signal]);
      }
      expectCompleteFiles(cwd);
      expect(listLeftovers(cwd)).toEqual([]);
      await expectResumed(cwd);
    }
  },
  600_000,
);

test("SIGTERM while an export waits for a retry ends it at once", async () => {
  const cwd = freshFolder();
  let waited = 0;
  let child: ReturnType<typeof run> | null = null;
  // The service asks for a wait of an hour.
  const proxy = await startProxy((n, response) => {
    if (n < 6) return false;
    waited += 1;
    const body = JSON.stringify({ error: "Rate limit exceeded", retryAfterMs: 3_500_000, scope: "key" });
    response.writeHead(429, { "content-type": "application/json" }).end(body);
    return true;
  });
  child = run(cwd, proxy);
  child.stderr?.on("data", (chunk) => {
    if (/Retrying in/.test(String(chunk))) child?.kill("SIGTERM");
  });
  expect([(await child).exitCode, waited]).toEqual([143, 1]);
  expectCompleteFiles(cwd);
  expect(listLeftovers(cwd)).toEqual([]);
  await expectResumed(cwd);
});

test("a second signal ends an export that does not stop, and the next run completes it", async () => {
  const cwd = freshFolder();
  let child: ReturnType<typeof run> | null = null;
  const proxy = await startProxy((n) => {
    if (n !== 8) return false;
    child?.kill("SIGTERM");
    child?.kill("SIGINT");
    return true;
  });
  child = run(cwd, proxy);
  expect([130, 143]).toContain((await child).exitCode);
  expectCompleteFiles(cwd);
  await expectResumed(cwd);
});

test("a key that is replaced during an export ends it with exit code 41, and the next run continues with the new key", async () => {
  for (let at = 2; at <= requests; at += STEP) {
    const cwd = freshFolder();
    const { service: running, accountId } = service;
    const rotate = () =>
      running.store.serializable((db) => issueKey(db, accountId, "management", running.now()));
    const old = await rotate();
    let rotated: Promise<string> | null = null;
    let answered = 0;
    const proxy = await startProxy((n, response) => {
      if (n < at) return false;
      if (n > at) answered += 1;
      if (n > at) return false;
      // The request is sent again to the service after the rotation, so it has the replaced key.
      rotated = rotate();
      void rotated.then(() => response.destroy());
      return true;
    });
    const stopped = await run(cwd, proxy, old);
    expect([at, stopped.exitCode, stopped.stderr]).toEqual([at, 41, expect.stringContaining("Invalid key")]);
    expect(answered).toBe(1);
    expectCompleteFiles(cwd);
    expect(listLeftovers(cwd)).toEqual([]);
    await expectResumed(cwd, (await rotated) ?? "");
  }
});

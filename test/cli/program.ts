/** Runs the bundle as child processes with their own home folders. They are killed when the test ends. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { execa, type Options } from "execa";
import { onTestFinished } from "vitest";
import { getCurrentTest } from "vitest/suite";
import { freshFolder } from "../harness.ts";

export const root = join(import.meta.dirname, "..", "..");
export const program = join(root, "bin", "playtest.js");

/** Runs the program in a new home folder. */
export function playtest(argv: string[], options: Options = {}) {
  const home = freshFolder();
  const { env, ...rest } = options;
  const child = execa(process.execPath, [program, ...argv], {
    cwd: home,
    reject: false,
    extendEnv: false,
    env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, ...env },
    ...rest,
  });
  // One that a hook of the file runs ends before the tests.
  if (getCurrentTest()) onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

export interface Ready {
  readonly url: string;
  readonly database: string;
  readonly managementKey?: string;
  readonly ingestKey?: string;
}

/** Starts a server and waits for its ready line. */
export async function startServer(argv: string[], options: Options = {}) {
  const child = playtest(["server", "start", "--json", ...argv], { ...options, buffer: true });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once("data", (chunk) => resolve(String(chunk)));
    child.then((result) => reject(new Error(`It ended: ${result.stderr}`)), reject);
  });
  const ready: Ready = JSON.parse(line);
  return { child, ready, line };
}

/** Sends one telemetry request. */
export async function send(ready: Ready, session: string, count = 1): Promise<number> {
  const events = Array.from({ length: count }, (_, at) => ({
    id: `e${at}`,
    name: "jump",
    timestamp: 1_772_000_000_000,
  }));
  const response = await fetch(`${ready.url}/api/telemetry`, {
    method: "POST",
    headers: { authorization: `Bearer ${ready.ingestKey}`, "content-type": "application/json" },
    body: JSON.stringify({ gameId: "ember", clientSessionId: session, events }),
  });
  await response.text();
  return response.status;
}

/** Starts an HTTP server in this process on a free port. */
export async function listening(listener: Parameters<typeof createServer>[1] = () => {}): Promise<number> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

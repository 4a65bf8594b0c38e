/** `npm run dev` restarts the server on the same database when a source file changes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { freshFolder } from "../harness.ts";

const root = join(import.meta.dirname, "..", "..");

interface Ready {
  readonly url: string;
  readonly ingestKey?: string;
  readonly managementKey?: string;
}

let dev: ChildProcess | undefined;
afterEach(async () => {
  if (!dev?.pid || dev.exitCode !== null || dev.signalCode !== null) return;
  const exited = once(dev, "exit");
  // npm, the watcher and the server are one process group.
  process.kill(-dev.pid, "SIGKILL");
  await exited;
});

/** Copies the sources, so that a test can change them. The copy uses the installed packages through a link. */
function copyProject(): string {
  const folder = freshFolder();
  for (const name of ["src", "package.json", "tsconfig.json"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Waits for the ready file of a server, and removes it, so that the file of the next server can be detected. */
async function nextReady(file: string): Promise<Ready> {
  while (!existsSync(file)) {
    if (dev?.exitCode !== null) throw new Error("npm run dev ended");
    await sleep(50);
  }
  const ready: Ready = JSON.parse(readFileSync(file, "utf8"));
  rmSync(file);
  return ready;
}

test("restarts the server when a source file changes, and keeps its database and keys", async () => {
  const project = copyProject();
  const file = join(project, "ready.json");
  const flags = ["--port", "0", "--database", "play.db", "--create-game", "ember", "--ready-file", file];
  dev = spawn("npm", ["run", "dev", "--", ...flags], {
    cwd: project,
    detached: true,
    stdio: "ignore",
    env: { ...process.env, HOME: project, XDG_CONFIG_HOME: project, XDG_STATE_HOME: project },
  });
  const first = await nextReady(file);
  const sent = await fetch(`${first.url}/api/telemetry`, {
    method: "POST",
    headers: { authorization: `Bearer ${first.ingestKey}`, "content-type": "application/json" },
    body: JSON.stringify({ gameId: "ember", events: [{ id: "e1", name: "jump", timestamp: Date.now() }] }),
  });
  expect(sent.status).toBe(202);

  appendFileSync(join(project, "src", "contract", "games.ts"), "\n// Changed while the server runs.\n");
  const second = await nextReady(file);
  const answer = await fetch(`${second.url}/api/v1/sessions`, {
    headers: { authorization: `Bearer ${first.managementKey}` },
  });
  expect(await answer.json()).toMatchObject({ total: 1 });
});

/** Signals and --timeout end the program while it waits, and also while it computes. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPage, SESSION } from "../client/response-fixtures.ts";
import { freshFolder } from "../harness.ts";
import { listening, playtest } from "./program.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** A service that sends one session. */
async function serviceEnv(): Promise<Record<string, string>> {
  const port = await listening((_request, response) => response.end(JSON.stringify(createPage([SESSION]))));
  return { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" };
}

/** A script that replaces a function with an endless loop, which writes "busy" first. */
function endless(name: string, condition: string): string {
  const file = join(freshFolder(), "endless.cjs");
  writeFileSync(
    file,
    `const { writeSync } = require("node:fs");
    const original = ${name};
    ${name} = function (...args) {
      if (!(${condition})) return original.apply(this, args);
      writeSync(2, "busy");
      for (;;);
    };`,
  );
  return file;
}

/** Resolves when a process has written a text to stderr. */
async function written(child: ReturnType<typeof playtest>, text: string): Promise<void> {
  let stderr = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
      if (stderr.includes(text)) resolve();
    });
    child.then(({ exitCode }) => reject(new Error(`It exited with ${exitCode}: ${stderr}`)), reject);
  });
}

describe.each(SIGNALS)("%s", (signal) => {
  test("ends a command that waits for the service, with an error", async () => {
    let arrived = () => {};
    const requested = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const port = await listening(() => arrived());
    const child = playtest(["sessions", "list", "--json"], {
      env: { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" },
    });
    await requested;
    child.kill(signal);
    const { exitCode, stdout, stderr } = await child;
    expect([exitCode, stdout]).toEqual([exitCodes[signal], ""]);
    expect(JSON.parse(String(stderr).split("\n").at(-1) ?? "").error.exitCode).toBe(exitCodes[signal]);
  });

  test.each([
    ["reads a response", "JSON.parse", "String(args[0]).includes('hasMore')", ["--json"]],
    ["writes JSON", "JSON.stringify", "args[0]?.hasMore !== undefined", ["--json"]],
    ["draws a table", "RegExp.prototype.test", `args[0] === ${JSON.stringify(SESSION.title)}`, []],
    [
      "writes Markdown",
      "String.prototype.replace",
      `this.includes(${JSON.stringify(SESSION.id)})`,
      ["--format", "md"],
    ],
  ])("ends a command that %s", async (_what, name, condition, flags) => {
    const env = { ...(await serviceEnv()), NODE_OPTIONS: `--require=${endless(name, condition)}` };
    const child = playtest(["sessions", "list", ...flags], { env });
    await written(child, "busy");
    child.kill(signal);
    const { signal: ending, stdout } = await child;
    expect([ending, stdout]).toEqual([signal, ""]);
  });

  test("ends an endless --jq expression", async () => {
    const env = { ...(await serviceEnv()), NODE_OPTIONS: `--require=${announceJq()}` };
    const child = playtest(["sessions", "list", "--jq", "def f: f; f", "--timeout", "0"], { env });
    await written(child, "busy");
    child.kill(signal);
    expect((await child).signal).toBe(signal);
  });

  test("ends a command that writes a file only when the file is complete", async () => {
    const folder = freshFolder();
    const permission = join(freshFolder(), "may-rename");
    const env = { XDG_CONFIG_HOME: folder, NODE_OPTIONS: `--require=${waitBeforeRename(permission)}` };
    const child = playtest(["config", "set", "game", "ember"], { env });
    await written(child, "busy");
    child.kill(signal);
    writeFileSync(permission, "");
    expect((await child).signal).toBe(signal);
    expect(readdirSync(join(folder, "playtest"))).toEqual(["config.json"]);
  });
});

/** A script that writes "busy" before each file is renamed, and waits until another file exists. */
function waitBeforeRename(other: string): string {
  const file = join(freshFolder(), "wait.cjs");
  writeFileSync(
    file,
    `const fs = require("node:fs/promises"), { existsSync, writeSync } = require("node:fs"), { rename } = fs;
    const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
    fs.rename = async (...args) => {
      writeSync(2, "busy");
      while (!existsSync(${JSON.stringify(other)})) await pause();
      // A signal that arrived meanwhile is handled before the rename.
      await pause();
      return await rename(...args);
    };`,
  );
  return file;
}

/** A script that writes "busy" before jq starts. */
function announceJq(): string {
  const file = join(freshFolder(), "announce.cjs");
  writeFileSync(
    file,
    `const vm = require("node:vm"), { writeSync } = require("node:fs"), { runInNewContext } = vm;
    vm.runInNewContext = (...args) => (writeSync(2, "busy"), runInNewContext(...args));`,
  );
  return file;
}

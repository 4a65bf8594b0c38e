/** Tests of refreshing stale names: one background process, which can be turned off. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeAll, expect, test } from "vitest";
import { freshFolder } from "../harness.ts";

const root = join(import.meta.dirname, "..", "..");
const program = join(root, "bin", "playtest.js");
const KEY = `pt_mgmt_${"0123456789".repeat(4)}`;
const game = { id: "game_1", userId: "user_1", name: "Ember", slug: "ember", createdAt: 1 };

beforeAll(() => {
  if (!existsSync(join(root, "dist", "bin.js")))
    execFileSync(process.execPath, [join(root, "scripts", "build.mjs")]);
});

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A service that responds only when it is released, and records the requests. */
async function heldService() {
  const asked: string[] = [];
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer(async (request, response) => {
    asked.push(`${request.url} ${request.headers.authorization === `Bearer ${KEY}`}`);
    await released;
    response.end(JSON.stringify({ games: [game] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, release };
}

/** Runs `__complete games` like a shell: waits for its exit and for both of its streams to close. */
function completing(home: string, url: string, more: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
  return execa(process.execPath, [program, "__complete", "games", "--", "games", "get"], {
    env: { ...env, PLAYTEST_BASE_URL: url, PLAYTEST_KEY: KEY, ...more },
    extendEnv: false,
    cwd: home,
  });
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("completes before the service responds, and starts only one process", async () => {
  const home = freshFolder();
  const { url, asked, release } = await heldService();
  const runs = await Promise.all(Array.from({ length: 5 }, () => completing(home, url)));
  for (const { stdout, stderr } of runs) expect([stdout, stderr]).toEqual(["", ""]);
  await until(() => asked.length > 0);
  await completing(home, url);
  release();
  await until(async () => (await completing(home, url)).stdout === "ember");
  expect(asked).toEqual(["/api/v1/games true"]);
  for (const name of readdirSync(join(home, "playtest", "completion"))) {
    expect(readFileSync(join(home, "playtest", "completion", name), "utf8")).not.toContain(KEY);
  }
});

test.each([["CI"], ["PLAYTEST_NO_COMPLETION_REFRESH"]])("%s turns refreshing off", async (name) => {
  const home = freshFolder();
  const { url, asked } = await heldService();
  expect((await completing(home, url, { [name]: "1" })).stdout).toBe("");
  expect(existsSync(join(home, "playtest"))).toBe(false);
  expect(asked).toEqual([]);
});

test("starts nothing without a key in the environment or the config file, such as with a key in the keychain", async () => {
  const home = freshFolder();
  const { url } = await heldService();
  mkdirSync(join(home, "playtest"));
  const keys = { management: { baseUrl: url, keychain: true } };
  const config = { profiles: { default: { baseUrl: url, keys } } };
  writeFileSync(join(home, "playtest", "config.json"), JSON.stringify(config));
  expect((await completing(home, url, { PLAYTEST_KEY: "" })).stdout).toBe("");
  expect(existsSync(join(home, "playtest", "completion"))).toBe(false);
});

test("ignores a state folder that is not writable", async () => {
  const home = freshFolder();
  const { url } = await heldService();
  const { stdout, stderr } = await completing(home, url, { XDG_STATE_HOME: "/dev/null" });
  expect([stdout, stderr]).toEqual(["", ""]);
});

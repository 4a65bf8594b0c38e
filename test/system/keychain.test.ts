/** Keys in the keychain of the system: GNOME's, on a session bus of the test's own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../cli/program.ts";
import { startTestServer, type TestServer } from "../cli/test-server.ts";
import { freshFolder } from "../harness.ts";

let served: TestServer;
beforeAll(async () => {
  served = await startTestServer();
});
afterAll(() => served.close());

type Keychain = "unlocked" | "locked" | "absent";

const starts: Record<Keychain, string> = {
  unlocked: "echo -n password | gnome-keyring-daemon --unlock --components=secrets > daemon.log 2>&1",
  locked: "gnome-keyring-daemon --start --components=secrets > daemon.log 2>&1",
  absent: "export DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
};

/** Prints what the keychain holds, by the names it is held under. */
const HOLDS = `node -e '
  const { findCredentials } = require("${join(root, "node_modules/@napi-rs/keyring")}");
  for (const { account, password } of findCredentials("playtest")) console.log(account, password);'`;

/** Takes the management key from it, as another program might. */
const LOSES = `node -e '
  const { Entry } = require("${join(root, "node_modules/@napi-rs/keyring")}");
  new Entry("playtest", "default management " + process.env.URL).deletePassword();'`;

/** Runs a script of bash in a session in which the keychain is as told, in a home. */
async function session(home: string, keychain: Keychain, script: string) {
  const program = `playtest() { '${process.execPath}' '${join(root, "bin/playtest.js")}' "$@"; }`;
  const run = await execa(
    "dbus-run-session",
    ["--", "bash", "-c", `${program}\n${starts[keychain]}\n${script}`],
    {
      cwd: home,
      reject: false,
      extendEnv: false,
      stdin: "ignore",
      timeout: 60_000,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        XDG_RUNTIME_DIR: home,
        XDG_CONFIG_HOME: home,
        XDG_STATE_HOME: home,
        MANAGEMENT: served.keys.management,
        INGEST: served.keys.ingest,
        URL: served.url,
      },
    },
  );
  const err = run.stderr.replace(/^dbus-daemon\[.*\n?/gm, "").replace(/^\n|^\(gcr-prompter.*\n?/gm, "");
  return { code: run.exitCode, out: run.stdout, err };
}

const config = (home: string) => readFileSync(join(home, "playtest", "config.json"), "utf8");
const LOGIN = 'playtest login --keychain --base-url "$URL" <<< "$MANAGEMENT"';
const GAMES = "playtest games list --jq '.games[].slug'";

describe("login --keychain", () => {
  test("keeps the key in the keychain alone, and what needs it finds it there", async () => {
    const home = freshFolder();
    const run = await session(
      home,
      "unlocked",
      `${LOGIN} && ${GAMES} && playtest config list --json && ${HOLDS}`,
    );
    expect(run.err).toBe(`Stored the management key for ${served.url} in profile default (the keychain).`);
    const [access, games, settings = "", ...held] = run.out.split("\n");
    expect([access, games]).toEqual(["Logged in. This key can access 1 game.", "ember"]);
    expect(settings).toContain(`for ${served.url}, in the keychain`);
    expect(held).toEqual([`default management ${served.url} ${served.keys.management}`]);
    expect(config(home)).not.toContain(served.keys.management);
    expect(JSON.parse(config(home)).profiles.default.keys).toEqual({
      management: { keychain: true, baseUrl: served.url },
    });
  });

  test("keeps both kinds of key apart, and logout removes them both", async () => {
    const home = freshFolder();
    const ingest = 'playtest login --ingest --keychain --base-url "$URL" <<< "$INGEST"';
    const run = await session(home, "unlocked", `${LOGIN}\n${ingest}\n${HOLDS}\nplaytest logout\n${HOLDS}`);
    expect(run.out.split("\n").sort()).toEqual([
      "Logged in. This key can access 1 game.",
      "Logged in. This key can send telemetry.",
      "Removed the management and ingest keys from profile default.",
      `default ingest ${served.url} ${served.keys.ingest}`,
      `default management ${served.url} ${served.keys.management}`,
    ]);
    expect(JSON.parse(config(home)).profiles.default).toEqual({ baseUrl: served.url });
  });

  test("binds the key to its address as ever", async () => {
    const home = freshFolder();
    const run = await session(
      home,
      "unlocked",
      `${LOGIN} && playtest games list --base-url http://127.0.0.1:1`,
    );
    expect(run.code).toBe(3);
    expect(run.err).toContain(`is only for ${served.url}, not for http://127.0.0.1:1`);
  });

  test("is undone by a login without it", async () => {
    const home = freshFolder();
    const plain = 'playtest login --base-url "$URL" <<< "$MANAGEMENT"';
    const run = await session(home, "unlocked", `${LOGIN}\n${plain}\n${HOLDS}\n${GAMES}`);
    expect([run.code, run.out.split("\n").slice(2)]).toEqual([0, ["ember"]]);
    expect(config(home)).toContain(served.keys.management);
  });
});

describe("a keychain that cannot be used", () => {
  test.each(["locked", "absent"] as const)(
    "when %s is told, and a key of the environment still works",
    async (how) => {
      const home = freshFolder();
      await session(home, "unlocked", LOGIN);
      const run = await session(home, how, GAMES);
      expect([run.code, run.out]).toEqual([3, ""]);
      expect(run.err).toMatch(
        /^error: The keychain cannot return the key: .+\nhint: .*--keychain.*PLAYTEST_KEY/,
      );
      expect(await session(home, how, `PLAYTEST_KEY=$MANAGEMENT ${GAMES}`)).toEqual({
        code: 0,
        out: "ember",
        err: "",
      });
    },
  );

  test("when absent takes no key, and nothing is stored in its place", async () => {
    const home = freshFolder();
    const run = await session(
      home,
      "absent",
      `${LOGIN}; code=$?; ls playtest/config.json 2> /dev/null; exit $code`,
    );
    expect([run.code, run.out]).toEqual([3, ""]);
    expect(run.err).toMatch(/^error: The keychain cannot store the key: /);
  });

  test("when locked keeps logout from forgetting where the key is", async () => {
    const home = freshFolder();
    await session(home, "unlocked", LOGIN);
    const run = await session(home, "locked", "playtest logout");
    expect([run.code, run.err.split("\n")[0]]).toEqual([
      3,
      expect.stringMatching(/^error: The keychain cannot remove the key: /),
    ]);
    expect(config(home)).toContain('"keychain"');
  });

  test("that lost the key says so", async () => {
    const home = freshFolder();
    const lost = await session(home, "unlocked", `${LOGIN} && ${LOSES} && ${GAMES}`);
    expect([lost.code, lost.err.split("\n").slice(1, 3).join("\n")]).toEqual([
      3,
      `error: The keychain has no management key for ${served.url} in profile default\n` +
        "hint: Run `playtest login --keychain` to store it again.",
    ]);
  });
});

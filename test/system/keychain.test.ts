/** Keys in the keychain of the system: GNOME Keyring on a private session bus. */
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

/** Shell command that prints all entries of the keychain with their names. */
const PRINT_ENTRIES = `node -e '
  const { findCredentials } = require("${join(root, "node_modules/@napi-rs/keyring")}");
  for (const { account, password } of findCredentials("playtest")) console.log(account, password);'`;

/** Shell command that deletes the management key from the keychain, as another program may do. */
const DELETE_KEY = `node -e '
  const { Entry } = require("${join(root, "node_modules/@napi-rs/keyring")}");
  new Entry("playtest", "default management " + process.env.URL).deletePassword();'`;

/** Runs a bash script in a session with a home folder and a keychain in the given state. */
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
      timeout: 240_000,
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
  test("stores the key only in the keychain, where other commands find it", async () => {
    const home = freshFolder();
    const run = await session(
      home,
      "unlocked",
      `${LOGIN} && ${GAMES} && playtest config list --json && ${PRINT_ENTRIES}`,
    );
    expect(run.err).toBe(`Stored the management key for ${served.url} in profile "default" (the keychain).`);
    const [access, games, settings = "", ...entries] = run.out.split("\n");
    expect([access, games]).toEqual(["Logged in. This key can access 1 game.", "ember"]);
    expect(settings).toContain(`for ${served.url}, in the keychain`);
    expect(entries).toEqual([`default management ${served.url} ${served.keys.management}`]);
    expect(config(home)).not.toContain(served.keys.management);
    expect(JSON.parse(config(home)).profiles.default.keys).toEqual({
      management: { keychain: true, baseUrl: served.url },
    });
  });

  test("stores both kinds of keys separately, and logout removes both", async () => {
    const home = freshFolder();
    const ingest = 'playtest login --ingest --keychain --base-url "$URL" <<< "$INGEST"';
    const run = await session(
      home,
      "unlocked",
      `${LOGIN}\n${ingest}\n${PRINT_ENTRIES}\nplaytest logout\n${PRINT_ENTRIES}`,
    );
    expect(run.out.split("\n").sort()).toEqual([
      "Logged in. This key can access 1 game.",
      "Logged in. This key can send telemetry.",
      'Removed the management and ingest keys from profile "default".',
      `default ingest ${served.url} ${served.keys.ingest}`,
      `default management ${served.url} ${served.keys.management}`,
    ]);
    expect(JSON.parse(config(home)).profiles.default).toEqual({ baseUrl: served.url });
  });

  test("does not send the key to another address", async () => {
    const home = freshFolder();
    const run = await session(
      home,
      "unlocked",
      `${LOGIN} && playtest games list --base-url http://127.0.0.1:1`,
    );
    expect(run.code).toBe(3);
    expect(run.err).toContain(`is only for ${served.url}, not for http://127.0.0.1:1`);
  });

  test("is undone by a login without the flag", async () => {
    const home = freshFolder();
    const plain = 'playtest login --base-url "$URL" <<< "$MANAGEMENT"';
    const run = await session(home, "unlocked", `${LOGIN}\n${plain}\n${PRINT_ENTRIES}\n${GAMES}`);
    expect([run.code, run.out.split("\n").slice(2)]).toEqual([0, ["ember"]]);
    expect(config(home)).toContain(served.keys.management);
  });
});

describe("a keychain that cannot be used", () => {
  test.each(["locked", "absent"] as const)(
    "is reported if it is %s, and a key in the environment still works",
    async (state) => {
      const home = freshFolder();
      await session(home, "unlocked", LOGIN);
      const run = await session(home, state, GAMES);
      expect([run.code, run.out]).toEqual([3, ""]);
      expect(run.err).toMatch(
        /^error: The keychain cannot return the key: .+\nhint: .*--keychain.*PLAYTEST_KEY/,
      );
      expect(await session(home, state, `PLAYTEST_KEY=$MANAGEMENT ${GAMES}`)).toEqual({
        code: 0,
        out: "ember",
        err: "",
      });
    },
  );

  test("makes login fail if it is absent, and no config file is written instead", async () => {
    const home = freshFolder();
    const run = await session(
      home,
      "absent",
      `${LOGIN}; code=$?; ls playtest/config.json 2> /dev/null; exit $code`,
    );
    expect([run.code, run.out]).toEqual([3, ""]);
    expect(run.err).toMatch(/^error: The keychain cannot store the key: /);
  });

  test("makes logout fail if it is locked, and the config still refers to the key", async () => {
    const home = freshFolder();
    await session(home, "unlocked", LOGIN);
    const run = await session(home, "locked", "playtest logout");
    expect([run.code, run.err.split("\n")[0]]).toEqual([
      3,
      expect.stringMatching(/^error: The keychain cannot remove the key: /),
    ]);
    expect(config(home)).toContain('"keychain"');
  });

  test("is reported if it no longer contains the key", async () => {
    const home = freshFolder();
    const lost = await session(home, "unlocked", `${LOGIN} && ${DELETE_KEY} && ${GAMES}`);
    expect([lost.code, lost.err.split("\n").slice(1, 3).join("\n")]).toEqual([
      3,
      `error: The keychain has no management key for ${served.url} in profile "default"\n` +
        "hint: Run `playtest login --keychain` to store it again.",
    ]);
  });
});

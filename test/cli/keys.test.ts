/** Keys are only sent to the service they were stored for, and never over unencrypted HTTP without --allow-http. */
import { describe, expect, test } from "vitest";
import type { ConfigFile } from "../../src/cli/config-file.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import { homeWith } from "./config-homes.ts";

const KEY = "pt_mgmt_stored";
const INGEST = "pt_ik_stored";
const HOME_URL = "https://studio.test";

const config: ConfigFile = {
  profiles: {
    default: {
      baseUrl: HOME_URL,
      keys: {
        management: { key: KEY, baseUrl: HOME_URL },
        ingest: { key: INGEST, baseUrl: HOME_URL },
      },
    },
    moved: { baseUrl: "https://new.test", keys: { management: { key: KEY, baseUrl: HOME_URL } } },
    bare: { baseUrl: HOME_URL },
  },
};

/** Runs `games list`. Returns where each key was sent. */
async function sent(argv: string[], options: Parameters<typeof runCli>[1] = {}) {
  const { transport, requests } = script({ body: responseBodies.listGames });
  const run = await runCli(["games", "list", ...argv], { home: homeWith(config), transport, ...options });
  return { ...run, went: requests.map(({ url, headers }) => [new URL(url).origin, headers.authorization]) };
}

describe("a stored key", () => {
  test("is sent to the service it was stored for", async () => {
    expect((await sent([])).went).toEqual([[HOME_URL, `Bearer ${KEY}`]]);
  });

  test.each([`${HOME_URL}/`, "HTTPS://STUDIO.TEST", "https://studio.test:443"])(
    "knows it as %s too",
    async (url) => {
      expect((await sent(["--base-url", url])).went).toEqual([[HOME_URL, `Bearer ${KEY}`]]);
    },
  );

  test.each([
    "https://evil.test",
    "https://studio.test.evil.test",
    "https://studio.test:8443",
    "https://studio.test/mounted",
    "http://127.0.0.1:4400",
  ])("is not sent to %s", async (url) => {
    const byFlag = await sent(["--base-url", url]);
    const byEnvironment = await sent([], { env: { PLAYTEST_BASE_URL: url } });
    for (const { code, went, out, err } of [byFlag, byEnvironment]) {
      expect([code, went, out]).toEqual([3, [], ""]);
      expect(err).toBe(
        `error: The management key in profile "default" is only for ${HOME_URL}, not for ${url}\n` +
          `hint: Run \`playtest login --base-url ${url} --profile <name>\` to store a key for it, or set PLAYTEST_KEY.\n`,
      );
    }
  });

  test("is not sent after the URL in the profile was changed", async () => {
    expect(await sent(["--profile", "moved"])).toMatchObject({ code: 3, went: [] });
  });

  test("is overridden by a key in the environment", async () => {
    const env = { PLAYTEST_KEY: "from-env", PLAYTEST_BASE_URL: "https://other.test" };
    expect((await sent([], { env })).went).toEqual([["https://other.test", "Bearer from-env"]]);
  });

  test("in the environment may end with a line break", async () => {
    const env = { PLAYTEST_KEY: " from-env\r\n", PLAYTEST_BASE_URL: "https://other.test" };
    expect((await sent([], { env })).went).toEqual([["https://other.test", "Bearer from-env"]]);
  });

  test("that is missing ends with exit code 3 and a hint about how to set it", async () => {
    const { code, err, went } = await sent(["--profile", "bare"]);
    expect([code, went]).toEqual([3, []]);
    expect(err).toBe(
      `error: No management key for ${HOME_URL}\n` +
        `hint: Run \`playtest login --base-url ${HOME_URL} --profile bare\` or set PLAYTEST_KEY.\n`,
    );
  });

  test("of the other kind is not used instead", async () => {
    const { transport, requests } = script({ status: 202, body: responseBodies.sendTelemetry });
    const home = homeWith(config);
    const stdin = '{"gameId":"ember","events":[]}\n';
    await runCli(["ingest", "telemetry", "-"], { home, transport, stdin });
    expect(requests.map((request) => request.headers.authorization)).toEqual([`Bearer ${INGEST}`]);
    const moved = await runCli(["ingest", "telemetry", "-", "--profile", "moved"], {
      home,
      transport,
      stdin,
    });
    expect([moved.code, requests.length]).toEqual([3, 1]);
    expect(moved.err).toContain("login --ingest");
  });

  test("is never printed, not even with --debug", async () => {
    for (const argv of [["games", "list"], ["profiles"], ["config", "list"], ["config", "get", "base-url"]]) {
      for (const flags of [["--debug"], ["--json", "--debug"]]) {
        const { transport } = script({ status: 401, body: { error: "Invalid key" } });
        const { out, err } = await runCli([...argv, ...flags], { home: homeWith(config), transport });
        expect(out + err).not.toContain("stored");
      }
    }
  });
});

describe("the base URL", () => {
  test("that is missing ends with exit code 3 and a hint about how to set it", async () => {
    const { code, err } = await sent([], { home: homeWith({}) });
    expect(code).toBe(3);
    expect(err).toMatchInlineSnapshot(`
      "error: No service configured
      hint: Run \`playtest login --base-url <url>\`, or try the demo with \`playtest server start --demo\`.
      "
    `);
  });

  test.each([
    ["not a url", "is not a URL"],
    ["studio.test", "is not a URL"],
    ["ftp://studio.test", "must start with https:// or http://"],
    ["https://user:secret@studio.test", "must not contain a user name or password"],
    ["https://studio.test/?x=1", "must not contain a query or fragment"],
    ["https://studio.test/#x", "must not contain a query or fragment"],
    ["http://studio.test", "would send the key unencrypted"],
    ["http://192.168.1.5:4400", "would send the key unencrypted"],
    ["http://127.0.0.1.evil.test", "would send the key unencrypted"],
    ["http://localhost.evil.test", "would send the key unencrypted"],
    ["http://[::2]", "would send the key unencrypted"],
    ["http://0.0.0.0:4400", "would send the key unencrypted"],
  ])("cannot be %s", async (url, message) => {
    const { code, went, err } = await sent(["--base-url", url], { env: { PLAYTEST_KEY: "k" } });
    expect([code, went]).toEqual([3, []]);
    expect(err).toContain(message);
  });

  test.each(["http://localhost:4400", "http://127.0.0.1", "http://127.8.9.10:1", "http://[::1]:4400"])(
    "can be %s, which is this machine",
    async (url) => {
      const { code, err } = await sent(["--base-url", url], { env: { PLAYTEST_KEY: "k" } });
      expect([code, err]).toEqual([0, ""]);
    },
  );

  test("is not validated by commands that do not use it", async () => {
    const home = homeWith({ profiles: { default: { baseUrl: "http://0.0.0.0:4400" } } });
    for (const line of ["server status", "server reset --yes", "admin games create ember", "config list"]) {
      expect(await runCli(line.split(" "), { home })).toMatchObject({ code: 0 });
    }
  });

  test("is shown without its password", async () => {
    const home = homeWith({ profiles: { default: { baseUrl: "https://user:hush@studio.test" } } });
    const { code, out } = await runCli(["config", "list"], { home });
    expect([code, out]).toEqual([0, expect.stringContaining("https://studio.test")]);
    expect(out).not.toContain("hush");
  });

  test("can be unencrypted with --allow-http, which prints a warning", async () => {
    const argv = ["--base-url", "http://studio.test", "--allow-http"];
    const { code, went, err } = await sent(argv, { env: { PLAYTEST_KEY: "k" } });
    expect([code, went]).toEqual([0, [["http://studio.test", "Bearer k"]]]);
    expect(err).toBe("Warning: the key is sent unencrypted to studio.test (--allow-http)\n");
  });

  test("can have a path prefix", async () => {
    const { transport, requests } = script({ body: responseBodies.listGames });
    const env = { PLAYTEST_BASE_URL: "https://studio.test/playtest/", PLAYTEST_KEY: "k" };
    await runCli(["games", "list"], { env, transport });
    expect(requests[0]?.url).toBe("https://studio.test/playtest/api/v1/games");
  });

  test("is shown without its password", async () => {
    const { err } = await sent(["--base-url", "https://user:hunter2@studio.test"], {
      env: { PLAYTEST_KEY: "k" },
    });
    expect(err).not.toContain("hunter2");
  });
});

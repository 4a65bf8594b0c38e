/** Keys go to the one service they were stored for, and nothing goes over plain http unasked. */
import { describe, expect, test } from "vitest";
import type { ConfigFile } from "../../src/cli/config-file.ts";
import { answers } from "../client/answers.ts";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import { homeWith } from "./homes.ts";

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

/** Runs `games list` and answers where each key went. */
async function sent(argv: string[], options: Parameters<typeof runCli>[1] = {}) {
  const { transport, requests } = script({ body: answers.listGames });
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
        `error: The management key of profile default is for ${HOME_URL}, and is not sent to ${url}\n` +
          `hint: Store one for it with \`playtest login --base-url ${url} --profile <name>\`, or set PLAYTEST_KEY.\n`,
      );
    }
  });

  test("is not sent where the profile's own address was changed", async () => {
    expect(await sent(["--profile", "moved"])).toMatchObject({ code: 3, went: [] });
  });

  test("gives way to one in the environment", async () => {
    const env = { PLAYTEST_KEY: "from-env", PLAYTEST_BASE_URL: "https://other.test" };
    expect((await sent([], { env })).went).toEqual([["https://other.test", "Bearer from-env"]]);
  });

  test("that is missing ends with exit code 3 and both ways to give one", async () => {
    const { code, err, went } = await sent(["--profile", "bare"]);
    expect([code, went]).toEqual([3, []]);
    expect(err).toBe(
      `error: No management key for ${HOME_URL}\n` +
        `hint: Store one with \`playtest login --base-url ${HOME_URL}\`, or set PLAYTEST_KEY.\n`,
    );
  });

  test("of the other kind does not stand in", async () => {
    const { transport, requests } = script({ status: 202, body: answers.sendTelemetry });
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

  test("is in nothing that is printed, not with --debug either", async () => {
    for (const argv of [["games", "list"], ["profiles"], ["config", "list"], ["config", "get", "base-url"]]) {
      for (const flags of [["--debug"], ["--json", "--debug"]]) {
        const { transport } = script({ status: 401, body: { error: "Invalid key" } });
        const { out, err } = await runCli([...argv, ...flags], { home: homeWith(config), transport });
        expect(out + err).not.toContain("stored");
      }
    }
  });
});

describe("the service's address", () => {
  test("that nothing sets ends with exit code 3 and the two ways to get one", async () => {
    const { code, err } = await sent([], { home: homeWith({}) });
    expect(code).toBe(3);
    expect(err).toMatchInlineSnapshot(`
      "error: No service is set
      hint: Log in with \`playtest login --base-url <url>\`, or try it out: \`playtest server start --demo\`.
      "
    `);
  });

  test.each([
    ["not a url", "is not a URL"],
    ["studio.test", "is not a URL"],
    ["ftp://studio.test", "is neither https nor http"],
    ["https://user:secret@studio.test", "holds a user name or password"],
    ["https://studio.test/?x=1", "holds a query or fragment"],
    ["https://studio.test/#x", "holds a query or fragment"],
    ["http://studio.test", "would send the key unencrypted"],
    ["http://192.168.1.5:4400", "would send the key unencrypted"],
    ["http://127.0.0.1.evil.test", "would send the key unencrypted"],
    ["http://localhost.evil.test", "would send the key unencrypted"],
    ["http://[::2]", "would send the key unencrypted"],
    ["http://0.0.0.0:4400", "would send the key unencrypted"],
  ])("may not be %s", async (url, told) => {
    const { code, went, err } = await sent(["--base-url", url], { env: { PLAYTEST_KEY: "k" } });
    expect([code, went]).toEqual([3, []]);
    expect(err).toContain(told);
  });

  test.each(["http://localhost:4400", "http://127.0.0.1", "http://127.8.9.10:1", "http://[::1]:4400"])(
    "may be %s, for that is this machine",
    async (url) => {
      const { code, err } = await sent(["--base-url", url], { env: { PLAYTEST_KEY: "k" } });
      expect([code, err]).toEqual([0, ""]);
    },
  );

  test("may be plain http with --allow-http, which is warned of", async () => {
    const argv = ["--base-url", "http://studio.test", "--allow-http"];
    const { code, went, err } = await sent(argv, { env: { PLAYTEST_KEY: "k" } });
    expect([code, went]).toEqual([0, [["http://studio.test", "Bearer k"]]]);
    expect(err).toBe("Warning: the key travels unencrypted to studio.test (--allow-http)\n");
  });

  test("may have a path that the service is mounted below", async () => {
    const { transport, requests } = script({ body: answers.listGames });
    const env = { PLAYTEST_BASE_URL: "https://studio.test/playtest/", PLAYTEST_KEY: "k" };
    await runCli(["games", "list"], { env, transport });
    expect(requests[0]?.url).toBe("https://studio.test/playtest/api/v1/games");
  });

  test("that has a secret in it is not repeated", async () => {
    const { err } = await sent(["--base-url", "https://user:hunter2@studio.test"], {
      env: { PLAYTEST_KEY: "k" },
    });
    expect(err).not.toContain("hunter2");
  });
});

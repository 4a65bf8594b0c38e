/** Tests of login: which keys it accepts, where it reads them from, and what it stores. */
import { existsSync, statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BASE_URL,
  createAppTransport,
  freshFolder,
  runCli,
  startTestService,
  type TestService,
} from "../harness.ts";
import { configFile, configIn, homeWith } from "./config-homes.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
  await service.addGame("tidepool");
});
afterAll(() => service.stop());

/** Runs login against the service with the given environment. */
async function login(
  argv: string[],
  stdin: string,
  { home = freshFolder(), env = {} }: { home?: string; env?: Record<string, string> } = {},
) {
  const transport = createAppTransport(service.app);
  return await runCli(["login", "--base-url", BASE_URL, ...argv], { transport, stdin, home, env });
}

describe("a management key", () => {
  test("is read from standard input, checked, and stored for its service", async () => {
    const run = await login([], `  ${service.keys.management}\n`);
    expect([run.code, run.out]).toEqual([0, "Logged in. This key can access 2 games.\n"]);
    expect(run.err).toBe(
      `Stored the management key for ${BASE_URL} in profile "default" (${configFile(run.home)}).\n`,
    );
    expect(configIn(run.home)).toEqual({
      profile: "default",
      profiles: {
        default: {
          baseUrl: BASE_URL,
          keys: { management: { key: service.keys.management, baseUrl: BASE_URL } },
        },
      },
    });
    expect(statSync(configFile(run.home)).mode & 0o777).toBe(0o600);
  });

  test("is read from the environment before standard input", async () => {
    const env = { PLAYTEST_KEY: service.keys.management };
    expect(await login([], "pt_mgmt_other", { env })).toMatchObject({ code: 0 });
  });

  test("is read from standard input if the variable is empty", async () => {
    const env = { PLAYTEST_KEY: "" };
    expect(await login([], service.keys.management, { env })).toMatchObject({ code: 0 });
  });

  test("without games is accepted", async () => {
    const { keys } = await service.addAccount("other studio");
    expect((await login([], keys.management)).out).toBe("Logged in. This key can access 0 games.\n");
  });

  test("works afterwards, and the profile keeps its other settings", async () => {
    const home = homeWith({ profiles: { studio: { tz: "Asia/Tokyo" } } });
    await login(["--profile", "studio"], service.keys.management, { home });
    const transport = createAppTransport(service.app);
    const run = await runCli(["games", "list", "--profile", "studio", "--jq", ".games|length"], {
      home,
      transport,
    });
    expect([run.code, run.out]).toEqual([0, "2\n"]);
    expect(configIn(home).profiles?.studio?.tz).toBe("Asia/Tokyo");
  });

  test("is not part of the JSON output", async () => {
    const run = await login(["--json", "--profile", "studio"], service.keys.management);
    expect(JSON.parse(run.out)).toEqual({
      profile: "studio",
      baseUrl: BASE_URL,
      kind: "management",
      games: 2,
    });
    expect(run.out + run.err).not.toContain(service.keys.management);
  });
});

describe("an ingest key", () => {
  test("is stored with --ingest, in addition to the management key", async () => {
    const { home } = await login([], service.keys.management);
    const run = await login(["--ingest"], service.keys.ingest, { home });
    expect([run.code, run.out]).toEqual([0, "Logged in. This key can send telemetry.\n"]);
    expect(configIn(home).profiles?.default?.keys).toEqual({
      management: { key: service.keys.management, baseUrl: BASE_URL },
      ingest: { key: service.keys.ingest, baseUrl: BASE_URL },
    });
  });

  test("is read from its own variable", async () => {
    const env = { PLAYTEST_INGEST_KEY: service.keys.ingest, PLAYTEST_KEY: service.keys.management };
    expect(await login(["--ingest"], "", { env })).toMatchObject({ code: 0 });
  });
});

describe("does not store", () => {
  test.each<[string, string[], () => string, number, RegExp]>([
    [
      "an ingest key",
      [],
      () => service.keys.ingest,
      43,
      /^error: This is an ingest key, .*\nhint: .*--ingest --base-url \S+`\.\n/,
    ],
    [
      "a management key with --ingest",
      ["--ingest"],
      () => service.keys.management,
      43,
      /^error: This is a management key, .*\nhint: .*\(without --ingest\)\.\n/,
    ],
    [
      "an unknown key",
      [],
      () => "pt_mgmt_nope",
      41,
      /^error: The service does not recognize this key\nhint: /,
    ],
    [
      "an unknown ingest key",
      ["--ingest"],
      () => "pt_ik_nope",
      41,
      /^error: The service does not recognize this key\nhint: /,
    ],
    ["an empty key", [], () => " \n", 2, /^error: No key provided\nhint: .*PLAYTEST_KEY/],
    ["a key with a space in it", [], () => "pt_mgmt a", 2, /^error: The key contains spaces/],
    ["a key with a line feed in it", [], () => "pt_mgmt\r\nx: y", 2, /^error: The key contains spaces/],
  ])("%s", async (_what, argv, key, code, message) => {
    const run = await login(argv, key());
    expect([run.code, run.out]).toEqual([code, ""]);
    expect(run.err).toMatch(message);
    expect(existsSync(configFile(run.home))).toBe(false);
  });

  test("a key in the arguments, which is not sent to the service", async () => {
    for (const argv of [["pt_mgmt_secret"], ["--key", "pt_mgmt_secret"]]) {
      const run = await login(argv, service.keys.management);
      expect(run.code).toBe(2);
      expect(existsSync(configFile(run.home))).toBe(false);
    }
  });

  test("a key for an unreachable service", async () => {
    const home = freshFolder();
    const down = async () => {
      throw Object.assign(new Error("down"), { code: "ECONNREFUSED" });
    };
    const run = await runCli(["login", "--base-url", BASE_URL], { home, transport: down, stdin: "k" });
    expect([run.code === 0, existsSync(configFile(home))]).toEqual([false, false]);
  });

  test("any key without a base URL and without a terminal", async () => {
    const run = await runCli(["login"], { stdin: service.keys.management });
    expect([run.code, existsSync(configFile(run.home))]).toEqual([3, false]);
  });
});

test("only the first profile becomes the default", async () => {
  const home = freshFolder();
  await login(["--profile", "studio"], service.keys.management, { home });
  expect(configIn(home).profile).toBe("studio");
  await login(["--profile", "second"], service.keys.management, { home });
  expect(configIn(home).profile).toBe("studio");
});

test("a key for another URL replaces the URL of the profile, and the other kind of key keeps its URL", async () => {
  const old = { key: "pt_ik_old", baseUrl: "https://old.test" };
  const home = homeWith({ profiles: { default: { baseUrl: "https://old.test", keys: { ingest: old } } } });
  await login([], service.keys.management, { home });
  expect(configIn(home).profiles?.default).toEqual({
    baseUrl: BASE_URL,
    keys: { ingest: old, management: { key: service.keys.management, baseUrl: BASE_URL } },
  });
});

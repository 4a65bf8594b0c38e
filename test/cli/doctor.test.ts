/** Tests of doctor: a complete setup, everything that can be wrong, and that no secret is shown. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registerServer } from "../../src/cli/commands/server/registry.ts";
import type { Transport } from "../../src/client/transport.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { type ReplySource, rateLimited, type ScriptedReply, script } from "../client/script.ts";
import {
  BASE_URL,
  type CliOptions,
  createAppTransport,
  freshFolder,
  NOW,
  runCli,
  startTestService,
  type TestService,
} from "../harness.ts";
import { configFile, homeWith } from "./config-homes.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
});
afterAll(() => service.stop());

const env = { PLAYTEST_BASE_URL: "https://studio.test", PLAYTEST_KEY: "pt_mgmt_secret" };
const fine: ScriptedReply = {
  body: responseBodies.listGames,
  headers: { date: new Date(NOW).toUTCString(), "x-request-id": "req-7" },
};

interface Told {
  readonly name: string;
  readonly status: string;
  readonly found: string;
  readonly hint: string | null;
  readonly code: string | null;
  readonly facts: Record<string, unknown>;
}

/** Runs doctor. Returns its exit code and its checks by name. */
async function examine(options: CliOptions, flags: string[] = []) {
  const run = await runCli(["doctor", "--json", ...flags], options);
  const { checks, settings }: { checks: Told[]; settings: unknown[] } = JSON.parse(run.out);
  const check = (name: string) => checks.find((one) => one.name === name);
  return { ...run, checks, settings, check };
}

/** Like `examine`, with scripted responses. */
async function scripted(replies: ReplySource[], more: CliOptions = {}, flags: string[] = []) {
  const { transport, requests } = script(...replies);
  return { ...(await examine({ env, transport, ...more }, flags)), requests };
}

test("a complete setup passes every check, with the documented facts", async () => {
  const { code, checks, err, check, settings } = await examine({ service });
  expect([code, err]).toEqual([0, ""]);
  expect(checks.map(({ name, status }) => `${name}: ${status}`)).toEqual([
    "config file: ok",
    "settings: ok",
    "repository file: ok",
    "service: ok",
    "clock: skip",
    "management key: ok",
    "ingest key: ok",
    "telemetry: ok",
    "proxies: ok",
    "certificates: ok",
    "database driver: ok",
    "versions: ok",
    "terminal: ok",
  ]);
  expect(check("service")?.facts).toMatchObject({ baseUrl: BASE_URL, tls: false, status: 200 });
  expect(check("management key")?.facts).toEqual({ source: "PLAYTEST_KEY", games: 1 });
  expect(check("versions")?.facts).toMatchObject({ node: process.version, os: process.platform });
  expect(settings).toContainEqual({ name: "base-url", value: BASE_URL, source: "PLAYTEST_BASE_URL" });
});

test("shows the retention policy of a server on this machine", async () => {
  const home = freshFolder();
  const entry = { pid: process.pid, url: BASE_URL, database: "play.db", startedAt: NOW };
  const policy = { keepEventsMs: 90 * 86_400_000, keepSessionsMs: null };
  await registerServer({ stateDir: join(home, "state") }, { ...entry, ...policy });
  const { check } = await examine({ service, home });
  expect(check("retention")).toMatchObject({
    status: "ok",
    found: "Events are kept for 90 days, and sessions without a limit",
    facts: policy,
  });
});

test("reports that equal clocks agree", async () => {
  const { transport } = script({ ...fine, headers: { date: new Date(NOW).toUTCString() } });
  const { out } = await runCli(["doctor", "--plain"], { env, transport, tty: true });
  expect(out).toContain("ok    clock            In sync with the service (within 1 s)\n");
});

test("shows why a webhook fails without control characters of the service", async () => {
  const [webhook] = (responseBodies.listWebhooks as { webhooks: object[] }).webhooks;
  const attack = "\u001b[31mred\u202e\r\n::error::x";
  const webhooks = [{ ...webhook, id: attack, host: attack, lastError: attack }];
  const replies = [fine, { body: responseBodies.countRefusals }, { body: { webhooks } }];
  for (const options of [{ tty: true, colors: 3 as const }, {}]) {
    const { transport } = script(...replies);
    const { out } = await runCli(["doctor"], { env, transport, ...options });
    expect(out).toContain("Failing: ");
    expect(out).not.toMatch(/\u001b\[31mred|\u202e|\r|^::error/m);
  }
});

test("a terminal shows one line per check, its fix below it, and the current settings", async () => {
  const { transport } = script({ ...fine, headers: { date: new Date(NOW - 300_000).toUTCString() } });
  const { code, out, err } = await runCli(["doctor", "--plain"], { env, transport, tty: true });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("warn  clock            The clock of this machine is 300 s ahead of the service\n");
  expect(out).toContain(
    "\n                       Correct the clock that is wrong, here or at the service.\n" +
      "                       Ages such as --from 7d depend on both.\n",
  );
  expect(out).toContain("skip  ingest key       Not set. You only need it to send telemetry\n");
  expect(out).toMatch(/\nSETTING +VALUE +SOURCE\n/);
  for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

test("Markdown contains the checks and the settings", async () => {
  const { out } = await runCli(["doctor", "--format", "md"], { service });
  expect(out).toMatch(/^\| CHECK \| STATUS \| RESULT \| FIX \|\n/);
  expect(out).toContain("\n## Current settings\n\n| SETTING | VALUE | SOURCE |\n");
});

describe("the exit code and error are those of the first failed check", () => {
  test.each<[string, ReplySource[], number, string, string]>([
    [
      "an unknown key",
      [{ status: 401, body: { error: "Invalid key" } }],
      41,
      "management key",
      "unauthorized",
    ],
    ["an ingest key by mistake", [{ status: 403, body: { error: "No" } }], 43, "management key", "forbidden"],
    ["another web server", [{ status: 404, body: "<html>" }], 53, "service", "contract"],
    ["a proxy's refusal", [{ status: 403, body: "<html>" }], 53, "service", "contract"],
    ["another JSON", [{ body: { hello: "world" } }], 53, "service", "contract"],
    ["a redirect", [{ status: 302, headers: { location: "/login" } }], 53, "service", "contract"],
    ["a service that fails", [{ status: 500, body: { error: "Internal error" } }], 50, "service", "internal"],
    ["another host name", [{ status: 421, body: { error: "Unknown host" } }], 45, "service", "misdirected"],
  ])("%s", async (_what, replies, exit, name, errorCode) => {
    const { code, check, err, requests } = await scripted(replies);
    expect([code, check(name)?.status, check(name)?.code]).toEqual([exit, "fail", errorCode]);
    expect(check(name)?.hint).toBeTruthy();
    expect(JSON.parse(err.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({ exitCode: exit });
    expect(requests).toHaveLength(1);
  });

  test("no service at all", async () => {
    const { code, check, err } = await examine({});
    expect([code, check("service")?.code, check("management key")?.status]).toEqual([3, "config", "skip"]);
    expect(err).toContain("1 check failed: service: No service configured\nhint: Run `playtest login ");
  });

  test("an unreachable service", async () => {
    const { code, check } = await examine({ env: { ...env, PLAYTEST_BASE_URL: "http://127.0.0.1:1" } });
    expect([code, check("service")?.found]).toEqual([
      51,
      "Cannot reach http://127.0.0.1:1: connection refused",
    ]);
    for (const name of ["clock", "management key", "ingest key", "telemetry"])
      expect(check(name)?.found, name).toBe("Not checked: cannot reach the service");
  });

  test("no key of any kind", async () => {
    const missing = { status: 401, body: { error: "Missing bearer token" } };
    const { code, check, requests } = await scripted([missing], {
      env: { PLAYTEST_BASE_URL: "https://studio.test" },
    });
    expect([code, check("service")?.status, check("management key")?.code]).toEqual([3, "ok", "config"]);
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
  });

  test("Ctrl-C ends with exit code 130", async () => {
    const { fail } = await import("../../src/cli/errors.ts");
    const controller = new AbortController();
    const transport: Transport = async () => {
      controller.abort(fail("interrupted"));
      throw new Error("aborted");
    };
    const run = await runCli(["doctor"], { env, transport, signal: controller.signal });
    expect([run.code, run.out]).toEqual([130, ""]);
  });
});

describe("invalid settings", () => {
  test.each<[string, string, CliOptions, RegExp]>([
    [
      "a config file that is not JSON",
      "config file",
      { home: homeWith("{") },
      /config\.json is not valid JSON$/,
    ],
    [
      "a profile with a zone that is none",
      "settings",
      { home: homeWith({ profiles: { default: { tz: "Mars" } } }) },
      /^tz in profile "default": "Mars" is not a time zone/,
    ],
    [
      "a base URL that is none",
      "settings",
      { env: { PLAYTEST_BASE_URL: "nowhere" } },
      /^The base URL "nowhere" \(from PLAYTEST_BASE_URL\) is not a URL$/,
    ],
  ])("%s", async (_what, name, options, found) => {
    const { code, check } = await examine(options);
    expect([code, check(name)?.status]).toEqual([3, "fail"]);
    expect(check(name)?.found).toMatch(found);
  });

  test.each<[string, CliOptions, string[], string]>([
    ["a flag", {}, ["--base-url", "http://studio.test"], "--base-url"],
    [
      "the profile",
      { home: homeWith({ profiles: { default: { baseUrl: "http://studio.test" } } }) },
      [],
      'profile "default"',
    ],
  ])("a base URL from %s that would send the key unencrypted", async (_what, options, flags, source) => {
    const { code, check, settings } = await examine(options, flags);
    expect([code, check("settings")]).toMatchObject([
      3,
      {
        status: "fail",
        found: `The base URL "http://studio.test" (from ${source}) would send the key unencrypted`,
        hint: "Use https, or add --allow-http to accept the risk.",
      },
    ]);
    expect(check("service")).toMatchObject({
      status: "skip",
      found: "Not checked: the base URL is rejected (see settings)",
    });
    expect(settings).toContainEqual({ name: "base-url", value: "http://studio.test", source });
  });

  test("an invalid setting of the profile, and still shows and checks the base URL next to it", async () => {
    const home = homeWith({ profiles: { default: { baseUrl: "http://studio.test", tz: "Mars" } } });
    const { code, check, settings } = await examine({ home });
    expect([code, check("settings")?.status, check("service")?.status]).toEqual([3, "fail", "skip"]);
    expect(check("service")?.found).toBe("Not checked: the base URL is rejected (see settings)");
    expect(settings).toContainEqual({
      name: "base-url",
      value: "http://studio.test",
      source: 'profile "default"',
    });
  });

  test("a base URL of the profile that is not text", async () => {
    const { code, check } = await examine({ home: homeWith('{"profiles":{"default":{"baseUrl":5}}}') });
    expect([code, check("settings")?.found]).toEqual([3, 'baseUrl in profile "default": 5 is not a URL']);
  });

  test("an invalid repository file", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "playtest.config.json"), '{ "baseUrl": "https://x" }');
    const { code, check, settings } = await examine({ service, cwd });
    expect([code, check("repository file")?.code, check("service")?.status]).toEqual([3, "config", "ok"]);
    expect(settings).toContainEqual({ name: "game", value: null, source: null });
  });

  test("an invalid flag is a usage error", async () => {
    expect(await runCli(["doctor", "--tz", "Mars"], { service })).toMatchObject({ code: 2, out: "" });
  });

  test("an invalid proxy fails the service check, and its password is not shown", async () => {
    const { code, check, out, err } = await examine({ env: { ...env, HTTPS_PROXY: "me:hush@proxy:x" } });
    expect([code, check("proxies")?.code]).toEqual([3, "config"]);
    expect(out + err).not.toContain("hush");
  });
});

describe("warns about", () => {
  test("a config file that others can read", async () => {
    const home = homeWith({ profiles: {} });
    chmodSync(configFile(home), 0o644);
    const { code, check } = await examine({ service, home });
    expect([code, check("config file")?.status]).toEqual([0, "warn"]);
    expect(check("config file")?.hint).toBe(`Run \`chmod 600 ${configFile(home)}\`.`);
  });

  test.each([
    [60_000, "ok"],
    [61_000, "warn"],
    [-61_000, "warn"],
  ])("a clock that is %i ms ahead: %s", async (ahead, status) => {
    const date = new Date(NOW - ahead).toUTCString();
    const { check } = await scripted([{ ...fine, headers: { date } }]);
    expect(check("clock")?.status).toBe(status);
    expect(Math.abs(Number(check("clock")?.facts.skewMs) - ahead)).toBeLessThan(1000);
  });

  test("the rate limit, without waiting for it", async () => {
    const { code, check, waits } = await scripted([rateLimited(30_000)]);
    expect([code, check("management key")?.status, waits]).toEqual([0, "warn", []]);
  });

  test("unencrypted HTTP to a remote host", async () => {
    const more = { env: { ...env, PLAYTEST_BASE_URL: "http://studio.test" } };
    const { code, check } = await scripted([fine], more, ["--allow-http"]);
    expect([code, check("service")?.status]).toEqual([0, "warn"]);
  });

  test("a missing management key, if there is an ingest key", async () => {
    const { code, check } = await examine({ service, env: { PLAYTEST_KEY: undefined } });
    expect([code, check("management key")?.status, check("ingest key")?.status]).toEqual([0, "warn", "ok"]);
  });

  test("an unreadable file of certificate authorities", async () => {
    const { check } = await examine({ service, env: { NODE_EXTRA_CA_CERTS: "/nowhere.pem" } });
    expect(check("certificates")).toMatchObject({ status: "warn", facts: { path: "/nowhere.pem" } });
  });
});

test("detects a management key that is used as the ingest key", async () => {
  const { code, check } = await examine({ service, env: { PLAYTEST_INGEST_KEY: service.keys.management } });
  expect([code, check("ingest key")?.found]).toEqual([
    43,
    "PLAYTEST_INGEST_KEY contains a management key, which cannot send telemetry",
  ]);
});

test("explains an ingest key that the service does not know", async () => {
  const { check } = await examine({ service, env: { PLAYTEST_INGEST_KEY: "pt_ik_old" } });
  expect(check("ingest key")).toMatchObject({
    status: "fail",
    hint: "Copy the complete key again, and check that it is an ingest key of this service.",
  });
});

test("checks the ingest key with a request that succeeds and stores nothing", async () => {
  const experiments = { body: { experiments: {} } };
  const more = { env: { ...env, PLAYTEST_INGEST_KEY: "pt_ik_secret" } };
  const { check, requests } = await scripted([fine, experiments], more);
  expect(check("ingest key")?.status).toBe("ok");
  const [, probe] = requests;
  const { games } = responseBodies.listGames as { readonly games: readonly { readonly slug: string }[] };
  expect([probe?.method, new URL(probe?.url ?? "").pathname]).toEqual(["GET", "/api/telemetry/experiments"]);
  expect(new URL(probe?.url ?? "").searchParams.get("gameId")).toBe(games[0]?.slug);
});

test.each([-900, -1, 0, 999])(
  "clocks that may differ by less than the resolution of the Date header agree: %i ms ahead",
  async (ahead) => {
    const date = new Date(Math.floor((NOW - ahead) / 1000) * 1000).toUTCString();
    const { check } = await scripted([{ ...fine, headers: { date } }], { clock: { now: NOW } });
    expect(check("clock")?.found).toBe("In sync with the service (within 1 s)");
  },
);

test("a profile that does not exist fails the settings check and skips the checks of the service", async () => {
  const { code, checks } = await examine({ home: freshFolder(), env: { PLAYTEST_PROFILE: "nosuch" } });
  const status = (name: string) => checks.find((check) => check.name === name)?.status;
  expect([code, status("settings"), status("service"), status("management key")]).toEqual([
    3,
    "fail",
    "skip",
    "skip",
  ]);
});

test("the timeout is 5 s unless --timeout is set", async () => {
  const home = homeWith({ profiles: { default: { timeout: "1m" } } });
  const short = await scripted([fine], { home });
  const long = await scripted([fine], { home }, ["--timeout", "9s"]);
  expect([short.requests[0]?.timeoutMs, long.requests[0]?.timeoutMs]).toEqual([5000, 9000]);
});

test("never shows a key or password, whatever fails", async () => {
  const secrets = { PLAYTEST_KEY: "pt_mgmt_secret", PLAYTEST_INGEST_KEY: "pt_ik_secret" };
  const proxies = { HTTPS_PROXY: "http://me:secret@proxy.test:3128" };
  for (const format of ["table", "md", "json", "csv"]) {
    const served = {
      env: { ...secrets, ...proxies, PLAYTEST_BASE_URL: BASE_URL },
      transport: createAppTransport(service.app),
    };
    const run = await runCli(["doctor", "--format", format, "--debug"], served);
    expect(run.code).toBe(41);
    expect(run.out).toContain("proxy.test");
    expect(run.out + run.err).not.toContain("secret");
  }
});

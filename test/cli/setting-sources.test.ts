/** Tests of the sources of settings, by precedence: flag, environment, repository file, profile, default. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ConfigFile } from "../../src/cli/config-file.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { freshFolder, runCli } from "../harness.ts";
import { configFile, configIn, homeWith } from "./config-homes.ts";

const HERE = "http://127.0.0.1:1";

/** Creates a repository with a file, and a folder deep inside it. */
function repositoryWith(content: unknown): { cwd: string; path: string } {
  const root = freshFolder();
  const cwd = join(root, "game", "tools");
  mkdirSync(cwd, { recursive: true });
  const path = join(root, "playtest.config.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return { cwd, path };
}

type Row = { readonly name: string; readonly value: string | null; readonly source: string | null };

async function settings(argv: string[], options: Parameters<typeof runCli>[1]): Promise<Map<string, Row>> {
  const run = await runCli(["config", "list", "--json", ...argv], options);
  expect(run.err).toBe("");
  const body: { settings: Row[] } = JSON.parse(run.out);
  return new Map(body.settings.map((row) => [row.name, row]));
}

const stored: ConfigFile = {
  profile: "studio",
  profiles: {
    studio: {
      baseUrl: "https://studio.test",
      game: "from-profile",
      format: "md",
      tz: "Europe/Berlin",
      timeout: "7s",
      maxWait: "1h",
    },
    other: { baseUrl: "https://other.test" },
  },
};

describe("each setting", () => {
  test("has a default, and reports it as its source", async () => {
    const rows = await settings([], {});
    expect([...rows.values()].filter((row) => row.name !== "format")).toEqual([
      { name: "profile", value: "default", source: "default" },
      { name: "base-url", value: null, source: null },
      { name: "game", value: null, source: null },
      { name: "tz", value: "UTC", source: "default" },
      { name: "timeout", value: "30s", source: "default" },
      { name: "max-wait", value: "2m", source: "default" },
      { name: "management key", value: null, source: null },
      { name: "ingest key", value: null, source: null },
    ]);
  });

  test("is read from the profile before the default", async () => {
    const home = homeWith(stored);
    const run = await runCli(["config", "list", "--format", "csv"], { home });
    expect(run.out.replaceAll(home, "HOME")).toMatchInlineSnapshot(`
      ""name","value","source"
      "profile","studio","HOME/config/config.json"
      "base-url","https://studio.test","profile ""studio"""
      "game","from-profile","profile ""studio"""
      "format","csv","'--format"
      "tz","Europe/Berlin","profile ""studio"""
      "timeout","7s","profile ""studio"""
      "max-wait","60m","profile ""studio"""
      "management key",,
      "ingest key",,
      "
    `);
  });

  test("format: a flag overrides the profile", async () => {
    const home = homeWith(stored);
    expect((await runCli(["config", "list"], { home })).out).toMatch(/^\| SETTING \| VALUE \| SOURCE \|/);
    expect((await settings([], { home })).get("format")).toEqual({
      name: "format",
      value: "json",
      source: "--json",
    });
  });

  test("game: flag, environment, repository file, profile, in this order", async () => {
    const home = homeWith(stored);
    const { cwd, path } = repositoryWith({ game: "from-repository", gate: { anything: 1 } });
    const env = { PLAYTEST_GAME: "from-environment" };
    const game = async (...given: Parameters<typeof settings>) => (await settings(...given)).get("game");
    expect(await game([], { home })).toMatchObject({ value: "from-profile", source: 'profile "studio"' });
    expect(await game([], { home, cwd })).toMatchObject({ value: "from-repository", source: path });
    expect(await game([], { home, cwd, env })).toMatchObject({
      value: "from-environment",
      source: "PLAYTEST_GAME",
    });
    const flagged = await game(["--game", "from-flag"], { home, cwd, env });
    expect(flagged).toMatchObject({ value: "from-flag", source: "--game" });
  });

  test("base URL and profile: flag, environment, config file, in this order", async () => {
    const home = homeWith(stored);
    const env = { PLAYTEST_BASE_URL: "https://env.test", PLAYTEST_PROFILE: "other" };
    const resolve = async (argv: string[], given?: typeof env) => {
      const rows = await settings(argv, { home, ...(given ? { env: given } : {}) });
      return ["profile", "base-url"].map((name) => [rows.get(name)?.value, rows.get(name)?.source]);
    };
    const file = configFile(home);
    expect(await resolve([])).toEqual([
      ["studio", file],
      ["https://studio.test", 'profile "studio"'],
    ]);
    expect(await resolve([], env)).toEqual([
      ["other", "PLAYTEST_PROFILE"],
      ["https://env.test", "PLAYTEST_BASE_URL"],
    ]);
    expect(await resolve(["--profile", "studio", "--base-url", "https://flag.test"], env)).toEqual([
      ["studio", "--profile"],
      ["https://flag.test", "--base-url"],
    ]);
  });

  test("timeouts and time zone: a flag overrides the profile", async () => {
    const flags = ["--tz", "Asia/Tokyo", "--timeout", "250ms", "--max-wait", "0"];
    const rows = await settings(flags, { home: homeWith(stored) });
    expect(
      ["tz", "timeout", "max-wait"].map((name) => [rows.get(name)?.value, rows.get(name)?.source]),
    ).toEqual([
      ["Asia/Tokyo", "--tz"],
      ["250ms", "--timeout"],
      ["0", "--max-wait"],
    ]);
  });

  test("counts as not set if the variable is empty", async () => {
    const env = { PLAYTEST_BASE_URL: "", PLAYTEST_PROFILE: "", PLAYTEST_GAME: "" };
    const rows = await settings([], { home: homeWith(stored), env });
    expect(rows.get("base-url")?.source).toBe('profile "studio"');
    expect(rows.get("game")?.source).toBe('profile "studio"');
  });
});

describe("the repository file", () => {
  test("may begin with a byte order mark", async () => {
    const { cwd } = repositoryWith(`\ufeff${JSON.stringify({ game: "marked" })}`);
    expect((await settings([], { cwd })).get("game")?.value).toBe("marked");
  });

  test.each(["baseUrl", "base-url", "profile", "key", "keys", "allowHttp"])(
    "must not set %s",
    async (name) => {
      const { cwd, path } = repositoryWith({ game: "ember", [name]: "https://evil.test" });
      const { transport, requests } = script({ body: responseBodies.listSessions });
      const env = { PLAYTEST_BASE_URL: HERE, PLAYTEST_KEY: "k" };
      const run = await runCli(["sessions", "list"], { cwd, env, transport });
      expect([run.code, requests]).toEqual([3, []]);
      expect(run.err).toBe(
        `error: ${path} sets ${name}, which is not allowed in a repository file\n` +
          "hint: Set it with a flag, an environment variable or `playtest config set` instead.\n",
      );
    },
  );

  test.each([
    ["is not JSON", "{ game: ember }", /is not valid JSON/],
    ["is not an object", "[]", /must contain a JSON object/],
    ["has a number as the game", { game: 5 }, /game in .* must be a game id or slug/],
    ["has an empty game", { game: "" }, /game in .* must be a game id or slug/],
  ])("that %s is rejected with its path", async (_what, content, message) => {
    const { cwd, path } = repositoryWith(content);
    const run = await runCli(["config", "list"], { cwd });
    expect(run.code).toBe(3);
    expect(run.err).toMatch(message);
    expect(run.err).toContain(path);
  });

  test("of the nearest folder is used", async () => {
    const { cwd } = repositoryWith({ game: "outer" });
    writeFileSync(join(cwd, "playtest.config.json"), JSON.stringify({ game: "inner" }));
    expect((await settings([], { cwd })).get("game")?.value).toBe("inner");
  });
});

describe("the config file", () => {
  test.each([
    ["is not JSON", "{ profiles: ", "is not valid JSON"],
    ["is not an object", '"x"', "is not valid JSON"],
    [
      "has a zone that is none",
      { profiles: { default: { tz: "Mars/Base" } } },
      '"Mars/Base" is not a time zone',
    ],
    ["has a format that is none", { profiles: { default: { format: "yaml" } } }, '"yaml" is not'],
    ["has a time that is none", { profiles: { default: { timeout: "soon" } } }, '"soon" is not a duration'],
    ["has a number for a time", { profiles: { default: { maxWait: 5 } } }, "5 is not a duration"],
  ])("that %s ends with exit code 3", async (_what, config, message) => {
    const home = homeWith(typeof config === "string" ? config : JSON.stringify(config));
    const run = await runCli(["games", "list"], {
      home,
      env: { PLAYTEST_BASE_URL: HERE, PLAYTEST_KEY: "k" },
    });
    expect([run.code, run.out]).toEqual([3, ""]);
    expect(run.err).toContain(message);
  });

  test("with an invalid value can be fixed with config set", async () => {
    const broken = { baseUrl: "http://remote.test", tz: "Mars/Base", format: "yaml", timeout: "soon" };
    const home = homeWith(JSON.stringify({ profiles: { default: broken } }));
    const given = { "base-url": "https://studio.test", tz: "UTC", format: "table", timeout: "5s" };
    for (const [name, value] of Object.entries(given)) {
      expect(await runCli(["config", "set", name, value], { home })).toMatchObject({ code: 0, err: "" });
    }
    expect(configIn(home).profiles?.default).toEqual({
      baseUrl: "https://studio.test",
      tz: "UTC",
      format: "table",
      timeout: "5s",
    });
  });
});

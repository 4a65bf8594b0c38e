/** Tests of config, profiles and logout. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ConfigFile } from "../../src/cli/config-file.ts";
import { freshFolder, runCli } from "../harness.ts";
import { configFile, configIn, homeWith } from "./config-homes.ts";

const keys = {
  management: { key: "pt_mgmt_1", baseUrl: "https://studio.test" },
  ingest: { key: "pt_ik_1", baseUrl: "https://studio.test" },
};
const two: ConfigFile = {
  profile: "studio",
  profiles: { studio: { baseUrl: "https://studio.test", game: "ember", keys }, other: { tz: "UTC" } },
};

describe("config", () => {
  test("get prints an invalid value unchanged", async () => {
    const home = homeWith({ profiles: { default: { baseUrl: "http://studio.test", format: "xml" } } });
    const run = await runCli(["config", "get", "base-url"], { home });
    expect([run.code, run.out]).toEqual([0, "http://studio.test\n"]);
  });

  test.each([
    ["base-url", "https://studio.test/", "https://studio.test"],
    ["game", "ember", "ember"],
    ["format", "csv", "csv"],
    ["tz", "europe/berlin", "Europe/Berlin"],
    ["timeout", "500ms", "500ms"],
    ["max-wait", "0", "0"],
  ])("sets, gets and unsets %s", async (name, given, kept) => {
    const home = freshFolder();
    const get = async () => (await runCli(["config", "get", name, "--json"], { home })).out;
    expect(await get()).toBe(`{"${name}":null}\n`);
    const set = await runCli(["config", "set", name, given], { home });
    expect(set).toMatchObject({ code: 0, err: "", out: `Set ${name} to ${kept} (profile "default").\n` });
    expect(await get()).toBe(`{"${name}":"${kept}"}\n`);
    const shown = await runCli(["config", "get", name, "--format", "table"], { home });
    expect(shown.out).toBe(`${kept}\n`);
    await runCli(["config", "unset", name], { home });
    const again = await runCli(["config", "unset", name], { home });
    expect(again.out).toBe(`${name} is not set in profile "default".\n`);
    expect(await get()).toBe(`{"${name}":null}\n`);
  });

  test("keeps all other settings", async () => {
    const home = homeWith({ ...two, later: { kept: true } } as ConfigFile);
    await runCli(["config", "set", "tz", "Asia/Tokyo", "--profile", "studio"], { home });
    await runCli(["config", "unset", "game"], { home });
    expect(configIn(home)).toEqual({
      profile: "studio",
      later: { kept: true },
      profiles: { studio: { baseUrl: "https://studio.test", tz: "Asia/Tokyo", keys }, other: { tz: "UTC" } },
    });
  });

  test("creates the profile in --profile", async () => {
    const home = freshFolder();
    await runCli(["config", "set", "base-url", "https://studio.test", "--profile", "studio"], { home });
    expect(configIn(home).profiles).toEqual({ studio: { baseUrl: "https://studio.test" } });
  });

  test.each([
    [
      "set colour red",
      2,
      /Unknown setting "colour"\. Use base-url, game, format, tz, timeout or max-wait\.$/m,
    ],
    ["get key", 2, /Unknown setting "key"/],
    ["get __proto__", 2, /Unknown setting/],
    ["set keys x", 2, /Unknown setting "keys"/],
    ["set base-url ftp://x", 3, /must start with https/],
    ["set format yaml", 2, /Unknown format "yaml"\. Use table, json, ndjson, csv, tsv or md\./],
    ["set tz Mars", 2, /"Mars" is not a time zone/],
    ["set timeout 30", 2, /"30" is not a duration such as/],
    ["set max-wait -1s", 2, /unknown flag|is not a duration/i],
    ["set game", 2, /missing required argument "value"/i],
  ])("rejects %s and writes nothing", async (line, code, message) => {
    const home = freshFolder();
    const run = await runCli(["config", ...line.split(" ")], { home });
    expect([run.code, run.out]).toEqual([code, ""]);
    expect(run.err).toMatch(message);
    expect(readdirSync(home)).toEqual([]);
  });

  test("rejects an empty value and explains how to remove a setting", async () => {
    const run = await runCli(["config", "set", "game", ""], {});
    expect([run.code, run.err]).toEqual([
      2,
      "error: game must not be empty\nhint: Run `playtest config unset game` to remove it.\n",
    ]);
  });

  test("writes a file that only its owner can read, and leaves no other files", async () => {
    const home = freshFolder();
    await runCli(["config", "set", "game", "ember"], { home });
    await runCli(["config", "set", "tz", "UTC"], { home });
    expect(statSync(configFile(home)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, "config"))).toEqual(["config.json"]);
  });

  test.each([0o000, 0o022, 0o077])("creates a private file and folder with the umask %o", async (umask) => {
    const home = freshFolder();
    const before = process.umask(umask);
    try {
      await runCli(["config", "set", "game", "ember"], { home });
      await runCli(["config", "set", "tz", "UTC"], { home });
    } finally {
      process.umask(before);
    }
    const modes = [join(home, "config"), configFile(home)].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });

  test("makes a folder private that others could enter", async () => {
    const home = homeWith("{}");
    chmodSync(join(home, "config"), 0o755);
    await runCli(["config", "set", "game", "ember"], { home });
    expect(statSync(join(home, "config")).mode & 0o777).toBe(0o700);
  });

  test("uses a temporary file with an unpredictable name of the shared writer, which creates it exclusively", async () => {
    const home = homeWith("{}");
    const watcher = watch(join(home, "config"));
    const names: string[] = [];
    watcher.on("change", (_, name) => names.push(String(name)));
    await runCli(["config", "set", "game", "ember"], { home });
    await expect.poll(() => names).toContain("config.json");
    watcher.close();
    const temporary = [...new Set(names)].filter((name) => name.startsWith("config.json."));
    expect(temporary).toEqual([expect.stringMatching(/^config\.json\.[0-9a-f]{16}\.tmp$/)]);
  });

  test("makes a file private that others could read, and writes tab-indented JSON", async () => {
    const home = homeWith("{}");
    await runCli(["config", "set", "game", "ember"], { home });
    expect(statSync(configFile(home)).mode & 0o777).toBe(0o600);
    expect(readFileSync(configFile(home), "utf8")).toBe(JSON.stringify(configIn(home), null, "\t"));
  });

  test("keeps a symbolic link and replaces its target", async () => {
    const [home, dotfiles] = [freshFolder(), freshFolder()];
    const target = join(dotfiles, "playtest.json");
    writeFileSync(target, "{}");
    mkdirSync(join(home, "config"));
    symlinkSync(target, configFile(home));
    expect((await runCli(["config", "set", "game", "ember"], { home })).code).toBe(0);
    expect(lstatSync(configFile(home)).isSymbolicLink()).toBe(true);
    expect([statSync(target).mode & 0o777, configIn(home)]).toEqual([
      0o600,
      { profiles: { default: { game: "ember" } } },
    ]);
    expect(readdirSync(dotfiles)).toEqual(["playtest.json"]);
  });

  test("names the file and ends with exit code 3 when it cannot be written", async () => {
    const home = freshFolder();
    writeFileSync(join(home, "config"), "");
    const { code, err } = await runCli(["config", "set", "game", "ember"], { home });
    expect([code, err]).toEqual([3, expect.stringContaining(`Cannot read ${configFile(home)}`)]);
  });

  test("warns of a base URL that needs --allow-http, and commands without requests accept it", async () => {
    const home = homeWith({
      profiles: { default: { keys: { management: { key: "pt_mgmt_1", baseUrl: "https://studio.test" } } } },
    });
    const set = await runCli(["config", "set", "base-url", "http://studio.test"], { home });
    expect([set.code, set.err]).toEqual([
      0,
      "Warning: commands that send a key to http://studio.test require --allow-http, because the key is sent unencrypted\n",
    ]);
    const loopback = await runCli(
      ["config", "set", "base-url", "http://127.0.0.1:4400", "--profile", "local"],
      {
        home,
      },
    );
    expect([loopback.code, loopback.err]).toEqual([0, ""]);
    for (const argv of [
      ["config", "list"],
      ["completion", "bash"],
      ["profiles"],
      ["mcp", "install", "cursor", "--print"],
    ])
      expect([argv, (await runCli(argv, { home })).code]).toEqual([argv, 0]);
  });

  test("prints the path of the file", async () => {
    const home = freshFolder();
    expect((await runCli(["config", "path"], { home })).out).toBe(`${configFile(home)}\n`);
    expect(JSON.parse((await runCli(["config", "path", "--json"], { home })).out)).toEqual({
      path: configFile(home),
    });
  });
});

describe("profiles", () => {
  test("are listed with the kinds of their keys, but not the keys themselves", async () => {
    const home = homeWith(two);
    const run = await runCli(["profiles"], { home });
    expect(run.out).toMatchInlineSnapshot(`
      "PROFILE  CURRENT  BASE URL             GAME   KEYS
      ───────  ───────  ───────────────────  ─────  ──────────────────
      studio   yes      https://studio.test  ember  management, ingest
      other    no       -                    -      -
      "
    `);
    expect(JSON.parse((await runCli(["profiles", "--json", "--profile", "other"], { home })).out)).toEqual({
      profiles: [
        {
          name: "studio",
          current: false,
          baseUrl: "https://studio.test",
          game: "ember",
          keys: ["management", "ingest"],
        },
        { name: "other", current: true, baseUrl: null, game: null, keys: [] },
      ],
    });
  });

  test("prints a note if there are no profiles", async () => {
    const run = await runCli(["profiles"], {});
    expect([run.code, run.out, run.err]).toEqual([
      0,
      "",
      "No profiles yet. Run `playtest login` to create one.\n",
    ]);
  });

  test("rejects commands with a profile that does not exist", async () => {
    const run = await runCli(["games", "list", "--profile", "nosuch"], { home: homeWith(two) });
    expect(run.code).toBe(3);
    expect(run.err).toMatch(/^error: Profile "nosuch" does not exist/);
    expect(run.err).toContain("`playtest login --profile nosuch --base-url <url>`");
  });
});

describe("logout", () => {
  test("removes only the keys of the profile", async () => {
    const home = homeWith(two);
    const run = await runCli(["logout"], { home });
    expect(run.out).toBe('Removed the management and ingest keys from profile "studio".\n');
    expect(configIn(home)).toEqual({
      profile: "studio",
      profiles: { studio: { baseUrl: "https://studio.test", game: "ember" }, other: { tz: "UTC" } },
    });
    expect((await runCli(["logout"], { home })).out).toBe('Profile "studio" has no stored keys.\n');
  });

  test("rejects a profile that does not exist, and does not create it", async () => {
    const home = homeWith(two);
    const run = await runCli(["logout", "--profile", "nosuch", "--json"], { home });
    expect([run.code, run.out]).toEqual([3, ""]);
    expect(run.err).toContain('Profile "nosuch" does not exist (from --profile)');
    expect(Object.keys(configIn(home).profiles ?? {}).sort()).toEqual(["other", "studio"]);
  });
});

/** config, profiles and logout: what they write, keep and remove. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ConfigFile } from "../../src/cli/config-file.ts";
import { freshFolder, runCli } from "../harness.ts";
import { configFile, configIn, homeWith } from "./homes.ts";

const keys = {
  management: { key: "pt_mgmt_1", baseUrl: "https://studio.test" },
  ingest: { key: "pt_ik_1", baseUrl: "https://studio.test" },
};
const two: ConfigFile = {
  profile: "studio",
  profiles: { studio: { baseUrl: "https://studio.test", game: "ember", keys }, other: { tz: "UTC" } },
};

describe("config", () => {
  test("gets what cannot be used as it is", async () => {
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
    expect(set).toMatchObject({ code: 0, err: "", out: `${name} is now ${kept} in profile default.\n` });
    expect(await get()).toBe(`{"${name}":"${kept}"}\n`);
    const shown = await runCli(["config", "get", name, "--format", "table"], { home });
    expect(shown.out).toBe(`${kept}\n`);
    await runCli(["config", "unset", name], { home });
    expect(await get()).toBe(`{"${name}":null}\n`);
  });

  test("leaves everything else as it is", async () => {
    const home = homeWith({ ...two, later: { kept: true } } as ConfigFile);
    await runCli(["config", "set", "tz", "Asia/Tokyo", "--profile", "studio"], { home });
    await runCli(["config", "unset", "game"], { home });
    expect(configIn(home)).toEqual({
      profile: "studio",
      later: { kept: true },
      profiles: { studio: { baseUrl: "https://studio.test", tz: "Asia/Tokyo", keys }, other: { tz: "UTC" } },
    });
  });

  test("makes the profile it is told of", async () => {
    const home = freshFolder();
    await runCli(["config", "set", "base-url", "https://studio.test", "--profile", "studio"], { home });
    expect(configIn(home).profiles).toEqual({ studio: { baseUrl: "https://studio.test" } });
  });

  test.each([
    ["set colour red", 2, /There is no setting "colour"[\s\S]*base-url, game, format, tz, timeout, max-wait/],
    ["get key", 2, /There is no setting "key"/],
    ["get __proto__", 2, /There is no setting/],
    ["set keys x", 2, /There is no setting "keys"/],
    ["set base-url ftp://x", 3, /is neither https nor http/],
    ["set format yaml", 2, /"yaml" is not one of table, json, ndjson, csv, tsv, md/],
    ["set tz Mars", 2, /"Mars" is not a time zone/],
    ["set timeout 30", 2, /"30" is not a duration such as/],
    ["set max-wait -1s", 2, /option|is not a duration/i],
    ["set game", 2, /missing required argument 'value'/i],
  ])("refuses %s and writes nothing", async (line, code, told) => {
    const home = freshFolder();
    const run = await runCli(["config", ...line.split(" ")], { home });
    expect([run.code, run.out]).toEqual([code, ""]);
    expect(run.err).toMatch(told);
    expect(readdirSync(home)).toEqual([]);
  });

  test("refuses an empty value, telling how to remove one", async () => {
    const run = await runCli(["config", "set", "game", ""], {});
    expect([run.code, run.err]).toEqual([
      2,
      "error: game needs a value\nhint: `playtest config unset game` removes it.\n",
    ]);
  });

  test("writes a file that its owner alone can read, and leaves no other behind", async () => {
    const home = freshFolder();
    await runCli(["config", "set", "game", "ember"], { home });
    await runCli(["config", "set", "tz", "UTC"], { home });
    expect(statSync(configFile(home)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, "config"))).toEqual(["config.json"]);
  });

  test("makes a file that others could read private, and writes tab-indented JSON", async () => {
    const home = homeWith("{}");
    await runCli(["config", "set", "game", "ember"], { home });
    expect(statSync(configFile(home)).mode & 0o777).toBe(0o600);
    expect(readFileSync(configFile(home), "utf8")).toBe(JSON.stringify(configIn(home), null, "\t"));
  });

  test("keeps a symbolic link and replaces the file it leads to", async () => {
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
    expect([code, err]).toEqual([3, expect.stringContaining(`${configFile(home)} cannot be `)]);
  });

  test("says where the file is", async () => {
    const home = freshFolder();
    expect((await runCli(["config", "path"], { home })).out).toBe(`${configFile(home)}\n`);
    expect(JSON.parse((await runCli(["config", "path", "--json"], { home })).out)).toEqual({
      path: configFile(home),
    });
  });
});

describe("profiles", () => {
  test("are listed with the keys they hold, the keys themselves left out", async () => {
    const home = homeWith(two);
    const run = await runCli(["profiles"], { home });
    expect(run.out).toMatchInlineSnapshot(`
      "PROFILE  IN USE  BASE URL             GAME   KEYS
      ───────  ──────  ───────────────────  ─────  ──────────────────
      studio   yes     https://studio.test  ember  management, ingest
      other    no      -                    -      -
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

  test("that are not there are said to be none", async () => {
    const run = await runCli(["profiles"], {});
    expect([run.code, run.out, run.err]).toEqual([0, "", "No profiles yet; `playtest login` makes one.\n"]);
  });

  test("that do not exist cannot be read with", async () => {
    const run = await runCli(["games", "list", "--profile", "nosuch"], { home: homeWith(two) });
    expect(run.code).toBe(3);
    expect(run.err).toMatch(/^error: There is no profile "nosuch"/);
    expect(run.err).toContain("`playtest login --profile <name>`");
  });
});

describe("logout", () => {
  test("removes the keys of the profile, and nothing else", async () => {
    const home = homeWith(two);
    const run = await runCli(["logout"], { home });
    expect(run.out).toBe("Removed the management and ingest key of profile studio.\n");
    expect(configIn(home)).toEqual({
      profile: "studio",
      profiles: { studio: { baseUrl: "https://studio.test", game: "ember" }, other: { tz: "UTC" } },
    });
    expect((await runCli(["logout"], { home })).out).toBe("Profile studio had no keys.\n");
  });

  test("refuses a profile that does not exist, and makes none", async () => {
    const home = homeWith(two);
    const run = await runCli(["logout", "--profile", "nosuch", "--json"], { home });
    expect([run.code, run.out]).toEqual([3, ""]);
    expect(run.err).toContain('There is no profile "nosuch" (named by --profile)');
    expect(Object.keys(configIn(home).profiles ?? {}).sort()).toEqual(["other", "studio"]);
  });
});

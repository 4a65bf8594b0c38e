/** Tests of completions: the names that commands cache, and the names that `__complete` offers without a request. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cacheNames } from "../../src/cli/completion/add-names.ts";
import { readLineContext } from "../../src/cli/completion/answer.ts";
import {
  emptyNameCache,
  mergeObservedNames,
  type ObservedNames,
  selectNames,
} from "../../src/cli/completion/names.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { BASE_URL, freshFolder, NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { homeWith } from "./config-homes.ts";

const quiet = { PLAYTEST_NO_COMPLETION_REFRESH: "1" };
const cacheFolder = (home: string) => join(home, "state", "completion");

let service: TestService;
let home: string;
beforeEach(async () => {
  service = await startTestService();
  home = freshFolder();
  await service.addGame("ember");
  service.clock.now += 1000;
  await service.addGame("tidepool");
  await sendSession("ember", "one", "0.8.0");
  await sendSession("ember", "two", "0.9.0 beta");
  await sendSession("tidepool", "three", "2.0");
});
afterEach(() => service.stop());

async function sendSession(gameId: string, clientSessionId: string, gameVersion: string): Promise<void> {
  service.clock.now += 1000;
  const events = [{ id: "e", name: "jump", timestamp: service.clock.now }];
  const body = { gameId, clientSessionId, sessionMetadata: { gameVersion }, events };
  expect((await service.post("/api/telemetry", body)).status).toBe(202);
}

const run = (line: string) => runCli(line.split(" "), { service, home, env: quiet });

/** The names that a shell is offered. No request may be sent. */
async function complete(
  kind: string,
  words: string[] = [],
  env: Record<string, string> = {},
): Promise<string[]> {
  const { transport, requests } = script({});
  const settings = { PLAYTEST_BASE_URL: BASE_URL, ...quiet, ...env };
  const { code, out, err } = await runCli(["__complete", kind, "--", ...words], {
    transport,
    home,
    env: settings,
  });
  expect([code, err, requests]).toEqual([0, "", []]);
  return out.split("\n").slice(0, -1);
}

describe("cached names", () => {
  test("come from the lists that commands read", async () => {
    await run("games list");
    await run("sessions list --format ndjson --all");
    const { items } = (await service.get("/api/v1/sessions")).json;
    expect(await complete("games")).toEqual(["tidepool", "ember"]);
    expect(await complete("sessions")).toEqual(items.map(({ id }: { id: string }) => id));
    expect(await complete("builds", ["-g", "ember"])).toEqual(["0.9.0 beta", "0.8.0"]);
    expect(await complete("builds", ["--game=tidepool"])).toEqual(["2.0"]);
    expect(await complete("builds", [], { PLAYTEST_GAME: "tidepool" })).toEqual(["2.0"]);
    expect(await complete("builds")).toEqual(["2.0", "0.9.0 beta", "0.8.0"]);
  });

  test("include batches per game, and experiments", async () => {
    for (const [line, name] of [
      ["batches list -g ember", "listBatches"],
      ["experiments list -g ember", "listGameExperiments"],
    ] as const) {
      const { transport } = script({ body: responseBodies[name] });
      expect((await runCli(line.split(" "), { service, transport, home })).code).toBe(0);
    }
    expect(await complete("batches", ["-g", "ember"])).toEqual(["ptb_1"]);
    expect(await complete("experiments")).toEqual(["exp_1"]);
  });

  test("are empty before any list, and separate for each profile and base URL", async () => {
    expect(await complete("games")).toEqual([]);
    await run("games list");
    expect(await complete("games", ["--profile", "other"])).toEqual([]);
    expect(await complete("games", ["--base-url", "http://127.0.0.1:1"])).toEqual([]);
    expect(await complete("games", ["--base-url", `${BASE_URL}/`])).toEqual(["tidepool", "ember"]);
    expect(await complete("nonsense")).toEqual([]);
  });

  test("are replaced by a complete list", () => {
    const whole = (names: string[], completeFor: string): ObservedNames => {
      const entries = names.map((name, at) => [name, "game_1", at] as const);
      return { kind: "batches", entries, requestedGame: "ember", completeFor };
    };
    const first = mergeObservedNames(emptyNameCache, whole(["ptb_1", "ptb_2"], "game_1"), NOW);
    const other = mergeObservedNames(
      first,
      { ...whole([], "game_2"), entries: [["ptb_9", "game_2", 9]] },
      NOW,
    );
    const second = mergeObservedNames(other, whole(["ptb_2"], "game_1"), NOW);
    expect(selectNames(second, "batches", null)).toEqual(["ptb_9", "ptb_2"]);
    expect(selectNames(second, "batches", "game_1")).toEqual(["ptb_2"]);
  });

  test("are the 500 newest of a kind", () => {
    const entries = Array.from({ length: 600 }, (_, at) => [`sess_${at}`, "game_1", at] as const);
    const names = mergeObservedNames(
      emptyNameCache,
      { kind: "sessions", entries, requestedGame: "", completeFor: null },
      NOW,
    );
    expect(selectNames(names, "sessions", null)).toHaveLength(500);
    expect(selectNames(names, "sessions", null)[0]).toBe("sess_599");
  });
});

describe("the cache file", () => {
  test("is readable only by its owner, contains no key, and is the only file", async () => {
    await run("games list");
    const [name, ...more] = readdirSync(cacheFolder(home));
    const path = join(cacheFolder(home), name ?? "");
    expect(more).toEqual([]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(cacheFolder(home)).mode & 0o777).toBe(0o700);
    expect(readFileSync(path, "utf8")).not.toMatch(/pt_(mgmt|ik)_/);
    expect(readFileSync(path, "utf8")).toContain("tidepool");
  });

  test("can be unwritable without failing the command", async () => {
    writeFileSync(join(home, "state"), "in the way");
    const { code, err } = await run("games list");
    expect([code, err]).toEqual([0, ""]);
    expect(await complete("games")).toEqual([]);
  });

  test("works for profile names that are invalid file names", async () => {
    for (const profile of ["half \ud800", "../up/\u0000", "x".repeat(5000)]) {
      const { code } = await runCli(["games", "list", "--profile", profile], { service, home });
      expect(code).toBe(0);
      expect(await complete("games", ["--profile", profile])).toEqual(["tidepool", "ember"]);
    }
    expect(readdirSync(home)).toEqual(["state"]);
  });

  test("is ignored and replaced if it is damaged", async () => {
    await run("games list");
    const [name = ""] = readdirSync(cacheFolder(home));
    for (const content of ["", "{", "[]", '{"lists":{}}']) {
      writeFileSync(join(cacheFolder(home), name), content);
      expect(await complete("games")).toEqual([]);
    }
    await run("games list");
    expect(await complete("games")).toEqual(["tidepool", "ember"]);
  });

  test("is limited in number for local services, without deleting those of remote services", async () => {
    const stateDir = freshFolder();
    const local = Array.from({ length: 30 }, (_, port) => `http://127.0.0.1:${port + 1}`);
    for (const baseUrl of ["https://studio.example.com", ...local]) {
      const scope = { stateDir, profile: "default", baseUrl };
      const observed: ObservedNames = {
        kind: "games",
        entries: [["a", "b", 1]],
        requestedGame: "",
        completeFor: "*",
      };
      await cacheNames(scope, [observed], NOW);
    }
    const files = readdirSync(join(stateDir, "completion"));
    expect(files).toHaveLength(21);
    expect(files).toContainEqual(expect.stringContaining("studio.example.com"));
  });
});

test("names that are unsafe in a shell are not offered, even if they are in the file", async () => {
  const bad = [
    "",
    "-rf",
    "a\u0007b",
    "a\nb",
    "a\tb",
    "a\u001b]52;c;x\u0007",
    "a\u009bb",
    "a\u202eb",
    "a\ud800b",
    "x".repeat(201),
  ];
  const fine = ["it's", 'a "b" c', "$(touch x); `y`", "ünïcode ✓", "a\\b", "*?[z]", "~root", "#x", "1.0+a/b"];
  const entries = [...bad, ...fine].map((name, at) => [name, "game_1", at] as const);
  const scope = { stateDir: join(home, "state"), profile: "default", baseUrl: BASE_URL };
  await cacheNames(scope, [{ kind: "games", entries, requestedGame: "", completeFor: "*" }], NOW);
  expect(await complete("games")).toEqual([...fine].reverse());
  const [file = ""] = readdirSync(cacheFolder(home));
  const path = join(cacheFolder(home), file);
  const content = JSON.parse(readFileSync(path, "utf8"));
  content.lists.games = [...entries, "no entry", [1, 2, 3]];
  writeFileSync(path, JSON.stringify(content));
  expect(await complete("games")).toEqual(fine);
});

test("profile names come from the config file", async () => {
  home = homeWith({ profiles: { studio: {}, "two words": {}, "bad\u0007": {} } });
  expect(await complete("profiles")).toEqual(["studio", "two words"]);
});

describe("the profile, base URL and game are those that the command would use", () => {
  const config = {
    profile: "studio",
    profiles: {
      studio: { baseUrl: "https://studio.example.com/", game: "of-profile" },
      other: { baseUrl: "https://other.example.com/play//" },
    },
  };
  const cases: [string[], Record<string, string>][] = [
    [[], {}],
    [["--profile", "other"], {}],
    [["--profile=other", "--game", "x"], {}],
    [["-g", "y"], { PLAYTEST_PROFILE: "other" }],
    [["-gz"], { PLAYTEST_BASE_URL: "https://env.example.com" }],
    [["--base-url", "https://FLAG.example.com:443/a/"], { PLAYTEST_BASE_URL: "https://env.example.com" }],
    [[], { PLAYTEST_GAME: "of-env", PLAYTEST_PROFILE: "" }],
    [["--profile", "none"], {}],
    [["--profile", "other", "--profile", "studio"], {}],
  ];

  test.each(cases)("%j %j", async (words, env) => {
    const home = homeWith(config);
    for (const repository of [null, { game: "of-repository" }, { gate: {} }]) {
      const cwd = join(home, `in-${JSON.stringify(repository).length}`, "deep");
      mkdirSync(cwd, { recursive: true });
      if (repository) writeFileSync(join(cwd, "..", "playtest.config.json"), JSON.stringify(repository));
      const { out } = await runCli(["config", "list", "--json", ...words], { home, cwd, env });
      const settings = JSON.parse(out).settings as { name: string; value: string | null }[];
      const value = (name: string) => settings.find((one) => one.name === name)?.value ?? null;
      const context = readLineContext(words, { env, cwd, configDir: join(home, "config") });
      expect({ profile: context.profile, baseUrl: context.baseUrl, game: context.game }).toEqual({
        profile: value("profile"),
        baseUrl: value("base-url"),
        game: value("game"),
      });
    }
  });
});

describe("completion", () => {
  const root = join(import.meta.dirname, "..", "..");
  test.each([
    ["bash", "playtest.bash"],
    ["zsh", "_playtest"],
    ["fish", "playtest.fish"],
    ["powershell", "playtest.ps1"],
  ])("%s prints its script in every output format", async (shell, name) => {
    const { code, out } = await runCli(["completion", shell], {
      home: homeWith({ profiles: { default: { format: "json" } } }),
    });
    expect([code, out]).toEqual([0, readFileSync(join(root, "completions", name), "utf8")]);
  });

  test("rejects an unknown shell", async () => {
    const { code, err } = await runCli(["completion", "tcsh"]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('Unknown shell "tcsh". Use bash, zsh, fish or powershell.'),
    ]);
  });
});

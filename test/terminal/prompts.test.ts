/** Tests of prompts at a real terminal: what they show, what is stored, and how they leave the terminal. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { listening } from "../cli/program.ts";
import { startTestServer, type TestServer } from "../cli/test-server.ts";
import { Terminal } from "./terminal.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const configOf = (terminal: Terminal) => join(terminal.home, "config", "playtest", "config.json");

const AS_BEFORE = "terminal as before";

/** Runs a command, then prints whether the terminal modes, such as echo, are unchanged. */
const watched = (line: string) =>
  `before=$(stty -g)\n${line}\ncode=$?\n[ "$before" = "$(stty -g)" ] && echo ${AS_BEFORE} || stty -a\n(exit $code)`;

describe("login", () => {
  test("prompts for URL and key, shows only the URL, and stores the key in a private file", async () => {
    const terminal = await Terminal.open(80);
    const key = server.keys.management;
    await terminal.enter(watched("playtest login"));
    await terminal.shows("Base URL of the service:");
    await terminal.type(server.url);
    await terminal.press("Enter");
    await terminal.shows("Management key:");
    await terminal.type(key);
    await terminal.press("Enter");
    const { code, text, lines } = await terminal.ended();
    expect([code, lines.at(-2), lines.at(-1)]).toEqual([
      0,
      "Logged in. This key can access 1 game.",
      AS_BEFORE,
    ]);
    expect(text).toContain(server.url);
    expect(text.replace(/\s/g, "")).not.toContain(key.slice(-20));
    expect(await terminal.cursor()).toBe(true);
    expect(statSync(configOf(terminal)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(configOf(terminal), "utf8")).profiles.default.keys.management).toEqual({
      key,
      baseUrl: server.url,
    });
    expect((await terminal.run("playtest games list --jq '.games[].slug'")).lines).toEqual(["ember"]);
  });

  test.each([
    ["an ingest key", () => server.keys.ingest, 43, "error: This is an ingest key"],
    ["a wrong key", () => "pt_mgmt_0000", 41, "error: The service does not recognize this key"],
    ["nothing", () => "", 2, "error: No key provided"],
  ])("with %s stores nothing and shows an error", async (_what, key, exit, message) => {
    const terminal = await Terminal.open(80);
    await terminal.enter(watched(`playtest login --base-url ${server.url}`));
    await terminal.shows("Management key:");
    await terminal.type(key());
    await terminal.press("Enter");
    const { code, text, lines } = await terminal.ended();
    expect([code, lines.at(-1)]).toEqual([exit, AS_BEFORE]);
    expect(text).toContain(message);
    if (key() !== "") expect(text).not.toContain(key());
    expect(existsSync(configOf(terminal))).toBe(false);
  });

  test("does not show a partly typed key after Ctrl-C, and restores the terminal", async () => {
    const terminal = await Terminal.open(80);
    await terminal.enter(watched(`playtest login --base-url ${server.url}`));
    await terminal.shows("Management key:");
    await terminal.type("pt_mgmt_half");
    // Other password prompts reveal the input at this key.
    await terminal.press("C-t");
    await terminal.press("C-c");
    const { code, text, lines } = await terminal.ended();
    expect([code, lines.at(-1)]).toEqual([130, AS_BEFORE]);
    expect(text).not.toContain("half");
    expect(text).toContain("error: Interrupted");
    expect(await terminal.cursor()).toBe(true);
    expect(existsSync(configOf(terminal))).toBe(false);
  });

  test("does not prompt if the prompt would not be visible", async () => {
    const terminal = await Terminal.open(80);
    const { code, lines } = await terminal.run(`playtest login --base-url ${server.url} 2> stderr.txt`);
    expect([code, lines]).toEqual([2, []]);
    expect(readFileSync(join(terminal.home, "stderr.txt"), "utf8")).toMatch(
      /^error: .*terminal[^\n]*\nhint: .*PLAYTEST_KEY/,
    );
  });
});

describe("server reset", () => {
  /** A terminal with a database in its home folder. */
  async function withDatabase() {
    const terminal = await Terminal.open(100);
    const database = join(terminal.home, "play.db");
    await (await openStore({ database })).close();
    const reset = watched("playtest server reset --database play.db");
    return { terminal, database, reset };
  }

  test.each([
    ["y", (path: string) => `Deleted ${path}.`, false],
    ["n", (path: string) => `${path} was not deleted.`, true],
    ["", (path: string) => `${path} was not deleted.`, true],
  ])("answered %j", async (typed, message, exists) => {
    const { terminal, database, reset } = await withDatabase();
    await terminal.enter(reset);
    await terminal.shows("(y/N)");
    await terminal.type(typed);
    await terminal.press("Enter");
    const { code, lines } = await terminal.ended();
    expect([code, lines.at(-1), existsSync(database)]).toEqual([0, AS_BEFORE, exists]);
    expect(lines.at(-2)).toBe(message(database));
  });

  test("deletes nothing after Ctrl-C", async () => {
    const { terminal, database, reset } = await withDatabase();
    await terminal.enter(reset);
    await terminal.shows("(y/N)");
    await terminal.press("C-c");
    const { code, lines } = await terminal.ended();
    expect([code, lines.at(-1), existsSync(database)]).toEqual([130, AS_BEFORE, true]);
  });
});

describe("admin keys rotate", () => {
  test("keeps the key unless the question is answered with y", async () => {
    const terminal = await Terminal.open(100);
    await terminal.run("playtest admin games create ember");
    const { lines } = await terminal.run("playtest admin keys rotate --jq .id");
    const answer = async (typed: string) => {
      await terminal.enter(watched("playtest admin keys rotate --jq .id"));
      await terminal.shows("(y/N)");
      await terminal.type(typed);
      await terminal.press("Enter");
      return await terminal.ended();
    };
    const listed = async () => (await terminal.run("playtest admin keys list --jq '.keys[].id'")).lines;
    const kept = await answer("n");
    expect([kept.code, kept.lines.at(-1), await listed()]).toEqual([130, AS_BEFORE, lines.slice(-1)]);
    expect(kept.text).toContain("Cancelled. Nothing was changed.");
    const replaced = await answer("y");
    expect([replaced.code, await listed()]).toEqual([0, [replaced.lines.at(-2)]]);
    expect(await listed()).not.toEqual(lines.slice(-1));
  });
});

describe("Ctrl-C", () => {
  test("aborts a pending request", async () => {
    let asked = () => {};
    const request = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const port = await listening(() => asked());
    const terminal = await Terminal.open(80, {
      PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`,
      PLAYTEST_KEY: "k",
    });
    await terminal.enter(watched("playtest games list"));
    await request;
    await terminal.press("C-c");
    const { code, text, lines } = await terminal.ended();
    expect([code, lines.at(-1)]).toEqual([130, AS_BEFORE]);
    expect(text).toContain("error: Interrupted");
  });

  test("stops a server cleanly", async () => {
    const terminal = await Terminal.open(100);
    await terminal.enter("playtest server start --port 0");
    await terminal.shows("Ctrl-C");
    await terminal.press("C-c");
    const { code, lines } = await terminal.ended();
    expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/Stopped\.$/)]);
  });
});

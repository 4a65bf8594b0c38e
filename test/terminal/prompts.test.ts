/** Prompts at a real terminal: what shows of a key, what is kept, and how the terminal is left. */
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

/** Runs a line, then says whether the terminal's modes (echo among them) are what they were. */
const watched = (line: string) =>
  `before=$(stty -g)\n${line}\ncode=$?\n[ "$before" = "$(stty -g)" ] && echo ${AS_BEFORE} || stty -a\n(exit $code)`;

describe("login", () => {
  test("asks for address and key, shows the address alone, and keeps the key for its owner", async () => {
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
  ])("of %s stores nothing and says so", async (_what, key, exit, told) => {
    const terminal = await Terminal.open(80);
    await terminal.enter(watched(`playtest login --base-url ${server.url}`));
    await terminal.shows("Management key:");
    await terminal.type(key());
    await terminal.press("Enter");
    const { code, text, lines } = await terminal.ended();
    expect([code, lines.at(-1)]).toEqual([exit, AS_BEFORE]);
    expect(text).toContain(told);
    if (key() !== "") expect(text).not.toContain(key());
    expect(existsSync(configOf(terminal))).toBe(false);
  });

  test("shows nothing of a half typed key when it is left by Ctrl-C, and leaves the terminal as it was", async () => {
    const terminal = await Terminal.open(80);
    await terminal.enter(watched(`playtest login --base-url ${server.url}`));
    await terminal.shows("Management key:");
    await terminal.type("pt_mgmt_half");
    // Other prompts of the kind show what was typed at this key.
    await terminal.press("C-t");
    await terminal.press("C-c");
    const { code, text, lines } = await terminal.ended();
    expect([code, lines.at(-1)]).toEqual([130, AS_BEFORE]);
    expect(text).not.toContain("half");
    expect(text).toContain("error: Interrupted");
    expect(await terminal.cursor()).toBe(true);
    expect(existsSync(configOf(terminal))).toBe(false);
  });

  test("does not ask where the question would not be seen", async () => {
    const terminal = await Terminal.open(80);
    const { code, lines } = await terminal.run(`playtest login --base-url ${server.url} 2> told`);
    expect([code, lines]).toEqual([2, []]);
    expect(readFileSync(join(terminal.home, "told"), "utf8")).toMatch(
      /^error: .*terminal[^\n]*\nhint: .*PLAYTEST_KEY/,
    );
  });
});

describe("server reset", () => {
  /** A terminal in whose home there is a database. */
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
  ])("answered %j", async (typed, message, kept) => {
    const { terminal, database, reset } = await withDatabase();
    await terminal.enter(reset);
    await terminal.shows("(y/N)");
    await terminal.type(typed);
    await terminal.press("Enter");
    const { code, lines } = await terminal.ended();
    expect([code, lines.at(-1), existsSync(database)]).toEqual([0, AS_BEFORE, kept]);
    expect(lines.at(-2)).toBe(message(database));
  });

  test("left by Ctrl-C removes nothing", async () => {
    const { terminal, database, reset } = await withDatabase();
    await terminal.enter(reset);
    await terminal.shows("(y/N)");
    await terminal.press("C-c");
    const { code, lines } = await terminal.ended();
    expect([code, lines.at(-1), existsSync(database)]).toEqual([130, AS_BEFORE, true]);
  });
});

describe("Ctrl-C", () => {
  test("ends a request that is waited for", async () => {
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

  test("stops a server, which ends well", async () => {
    const terminal = await Terminal.open(100);
    await terminal.enter("playtest server start --port 0");
    await terminal.shows("Ctrl-C");
    await terminal.press("C-c");
    const { code, lines } = await terminal.ended();
    expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/Stopped\.$/)]);
  });
});

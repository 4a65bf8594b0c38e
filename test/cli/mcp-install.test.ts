/** Tests of mcp install: the settings file of each assistant, and how it is changed. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { assistants } from "../../src/cli/commands/mcp/assistants.ts";
import { readServers, writeServers } from "../../src/cli/commands/mcp/servers-file.ts";
import { freshFolder, runCli } from "../harness.ts";
import { root } from "./program.ts";

const script = join(root, "bin", "playtest.js");
const own = { command: process.execPath, args: [script, "mcp"] };
const CURSOR = join(".cursor", "mcp.json");

/** Creates a home folder with a file. */
function homeWith(file: string, content: string): { home: string; path: string } {
  const home = freshFolder();
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return { home, path };
}

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));

describe("the file of each assistant", () => {
  const place = (os: string) => ({ os, home: "/home/ada", cwd: "/work/game", env: { APPDATA: "/appdata" } });
  const files = (os: string) =>
    Object.fromEntries(Object.entries(assistants).map(([name, one]) => [name, one.resolveFile(place(os))]));

  test("is at the documented path", () => {
    expect(files("linux")).toEqual({
      "claude-desktop": "/home/ada/.config/Claude/claude_desktop_config.json",
      "claude-code": "/work/game/.mcp.json",
      cursor: "/home/ada/.cursor/mcp.json",
      vscode: "/home/ada/.config/Code/User/mcp.json",
      windsurf: "/home/ada/.codeium/windsurf/mcp_config.json",
      zed: "/home/ada/.config/zed/settings.json",
      gemini: "/home/ada/.gemini/settings.json",
    });
    expect(files("darwin")).toMatchObject({
      "claude-desktop": "/home/ada/Library/Application Support/Claude/claude_desktop_config.json",
      vscode: "/home/ada/Library/Application Support/Code/User/mcp.json",
      zed: "/home/ada/.config/zed/settings.json",
    });
    expect(files("win32")).toMatchObject({
      "claude-desktop": "/appdata/Claude/claude_desktop_config.json",
      vscode: "/appdata/Code/User/mcp.json",
      zed: "/appdata/Zed/settings.json",
    });
  });

  test.each([
    ["claude-desktop", { mcpServers: { playtest: own } }],
    ["claude-code", { mcpServers: { playtest: { type: "stdio", command: "playtest", args: ["mcp"] } } }],
    ["cursor", { mcpServers: { playtest: own } }],
    ["vscode", { servers: { playtest: { type: "stdio", ...own } } }],
    ["windsurf", { mcpServers: { playtest: own } }],
    ["zed", { context_servers: { playtest: own } }],
    ["gemini", { mcpServers: { playtest: own } }],
  ])("%s gets an entry in its own format", async (name, expected) => {
    const { code, out, home } = await runCli(["mcp", "install", name, "--yes", "--json"]);
    expect(code).toBe(0);
    const { file, written } = JSON.parse(out);
    expect([read(file), written, file.startsWith(home)]).toEqual([expected, true, true]);
  });
});

describe("mcp install", () => {
  test("shows the change, and keeps all other content, the indentation and the mode of the file", async () => {
    const before = { theme: "dark", mcpServers: { other: { command: "x" } }, __proto__x: [1] };
    const { home, path } = homeWith(CURSOR, JSON.stringify(before, null, "\t"));
    chmodSync(path, 0o640);
    const { code, out, err } = await runCli(["mcp", "install", "cursor", "--yes"], { home });
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`Wrote playtest to ${path}. Cursor loads the server`),
    ]);
    expect(err).toContain(`Entry to add to ${path}:`);
    expect(err).toContain('    "playtest": {');
    expect(read(path)).toEqual({ ...before, mcpServers: { other: { command: "x" }, playtest: own } });
    expect(Object.keys(read(path))).toEqual(Object.keys(before));
    expect(readFileSync(path, "utf8")).toContain('\n\t"theme"');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(dirname(path))).toEqual(["mcp.json"]);
  });

  test("reports that it replaces an entry, and is idempotent", async () => {
    const { home, path } = homeWith(CURSOR, JSON.stringify({ mcpServers: { playtest: { command: "old" } } }));
    const { err } = await runCli(["mcp", "install", "cursor", "--yes"], { home });
    expect(err).toContain(`Entry that replaces "playtest" in ${path}:`);
    const once = readFileSync(path, "utf8");
    await runCli(["mcp", "install", "cursor", "--yes"], { home });
    expect(readFileSync(path, "utf8")).toBe(once);
  });

  test("writes to the target of a symbolic link", async () => {
    const { home, path } = homeWith(join("dotfiles", "cursor.json"), "{}");
    mkdirSync(join(home, ".cursor"));
    symlinkSync(path, join(home, CURSOR));
    await runCli(["mcp", "install", "cursor", "--yes"], { home });
    expect(read(path)).toEqual({ mcpServers: { playtest: own } });
    expect(readdirSync(join(home, ".cursor"), { withFileTypes: true })[0]?.isSymbolicLink()).toBe(true);
  });

  test("with --print shows the entry and writes nothing", async () => {
    const { code, out, home } = await runCli(["mcp", "install", "cursor", "--print"]);
    expect([code, readdirSync(home)]).toEqual([0, []]);
    expect(out).toContain(`${join(home, CURSOR)}\n{\n  "playtest": {`);
  });

  test("without a terminal and without --yes writes nothing", async () => {
    const { code, err, home } = await runCli(["mcp", "install", "cursor"]);
    expect([code, readdirSync(home)]).toEqual([2, []]);
    expect(err).toContain("hint: Add --yes to write the entry, or --print to only show it.");
  });

  test.each([
    ["broken JSON", '{"mcpServers": {', "is not plain JSON"],
    ["comments", '{ // mine\n "mcpServers": {} }', "is not plain JSON"],
    ["a duplicate name", '{"a": 1, "a": 2}', "contains values that rewriting would change"],
    ["a long number", '{"a": 12345678901234567890}', "contains values that rewriting would change"],
    ["a list", "[]", "is not a JSON object"],
    ["servers in another format", '{"mcpServers": []}', 'has a field "mcpServers" that is not an object'],
  ])("does not change a file with %s, and names it", async (_name, content, message) => {
    const { home, path } = homeWith(CURSOR, content);
    const { code, err } = await runCli(["mcp", "install", "cursor", "--yes"], { home });
    expect([code, readFileSync(path, "utf8")]).toEqual([3, content]);
    expect(err).toContain(`error: ${path} ${message}`);
  });

  test("accepts numbers and escapes that are only formatted differently", async () => {
    const { home, path } = homeWith(CURSOR, '{"size": 16.0, "7": -1.50, "a": "\\u0041\\/", "b": true}');
    expect((await runCli(["mcp", "install", "cursor", "--yes"], { home })).code).toBe(0);
    expect(read(path)).toMatchObject({ size: 16, 7: -1.5, a: "A/", b: true });
  });

  test("does not replace a broken symbolic link, and names it", async () => {
    const home = freshFolder();
    mkdirSync(join(home, ".cursor"));
    symlinkSync(join(home, "gone.json"), join(home, CURSOR));
    const { code, err } = await runCli(["mcp", "install", "cursor", "--yes"], { home });
    expect([code, readdirSync(home)]).toEqual([3, [".cursor"]]);
    expect(err).toContain(`error: ${join(home, CURSOR)} is a broken symbolic link`);
  });

  test("does not overwrite a file that changed since it was read", async () => {
    const { path } = homeWith(CURSOR, "{}");
    const before = readServers(path, "mcpServers");
    writeFileSync(path, '{"theme": "dark"}');
    await expect(writeServers(before, "mcpServers", "playtest", own, false)).rejects.toThrow(
      "has changed since it was read",
    );
    expect(read(path)).toEqual({ theme: "dark" });
  });

  test("warns if the key is only in the environment", async () => {
    const env = { PLAYTEST_BASE_URL: "https://a.test", PLAYTEST_KEY: "pt_mgmt_x" };
    const warning = "Warning: no key is stored";
    const run = async (...more: string[]) =>
      (await runCli(["mcp", "install", "cursor", "--yes", ...more], { env })).err.includes(warning);
    expect([await run(), await run("--with-key")]).toEqual([true, false]);
  });

  test("accepts an empty file and a byte order mark", async () => {
    for (const content of ["", "\uFEFF{}"]) {
      const { home, path } = homeWith(CURSOR, content);
      expect((await runCli(["mcp", "install", "cursor", "--yes"], { home })).code).toBe(0);
      expect(read(path)).toEqual({ mcpServers: { playtest: own } });
    }
  });

  test("passes on the profile, the base URL, --toolsets and --allow-ingest", async () => {
    const { out } = await runCli([
      "mcp",
      "install",
      "cursor",
      "--print",
      "--json",
      "--profile",
      "studio",
      "--base-url",
      "https://a.test",
      "--allow-ingest",
      "--toolsets",
      "players, analytics",
      "--name",
      "mine",
    ]);
    expect(JSON.parse(out)).toMatchObject({
      name: "mine",
      entry: {
        args: [
          ...[script, "mcp", "--toolsets", "players,analytics", "--allow-ingest"],
          ...["--profile", "studio", "--base-url", "https://a.test"],
        ],
      },
    });
  });

  test("warns of a base URL of the profile that needs --allow-http, and passes the flag on", async () => {
    const key = { key: "pt_mgmt_1", baseUrl: "http://studio.test" };
    const { home } = homeWith(
      join("config", "config.json"),
      JSON.stringify({ profiles: { default: { baseUrl: "http://studio.test", keys: { management: key } } } }),
    );
    const refused = await runCli(["mcp", "install", "cursor", "--print"], { home });
    expect([refused.code, refused.err]).toEqual([
      0,
      'Warning: The base URL "http://studio.test" (from profile "default") would send the key unencrypted. Use https, or add --allow-http to accept the risk.\n',
    ]);
    expect(refused.out).not.toContain("--allow-http");
    const accepted = await runCli(["mcp", "install", "cursor", "--print", "--allow-http"], { home });
    expect([accepted.code, accepted.err]).toEqual([0, ""]);
    expect(accepted.out).toContain('"--allow-http"');
  });

  test("writes the key only with --with-key, never shows it, and makes the file private", async () => {
    const env = { PLAYTEST_BASE_URL: "https://a.test", PLAYTEST_KEY: "pt_mgmt_secret" };
    const { home, path } = homeWith(CURSOR, "{}");
    await runCli(["mcp", "install", "cursor", "--yes"], { home, env });
    expect(readFileSync(path, "utf8")).not.toContain("secret");
    const { out, err } = await runCli(["mcp", "install", "cursor", "--yes", "--with-key", "--json"], {
      home,
      env,
    });
    expect(read(path).mcpServers.playtest.env).toEqual(env);
    expect(out + err).not.toContain("secret");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

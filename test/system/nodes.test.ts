/** The packed program on all supported versions of Node, installed without install scripts. */
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";
import { listening } from "../cli/program.ts";
import { readCommands, withoutNotices } from "../cli/read-commands.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { createTempFolder, install, pack } from "./packed.ts";

/** The major versions of Node. Only 20 uses the SQLite driver that the program contains. */
const versions = ["20", "22", "24"] as const;

let nodes: Record<string, string>;
/** Folders of an installation without and with optional packages. Install scripts are disabled, so nothing is compiled. */
let withoutOptional: string;
let withOptional: string;
beforeAll(async () => {
  const [installed, packed] = await Promise.all([installNodes(versions), pack()]);
  nodes = installed;
  // With --global, npm ignores --omit for tarballs (npm/cli#8284).
  [withoutOptional, withOptional] = await Promise.all([
    install(packed, "--ignore-scripts", "--omit=optional"),
    install(packed, "--ignore-scripts"),
  ]);
});

/** Returns the binaries of these versions: the running one, and the others from the npm package `node`. */
async function installNodes(majors: readonly string[]): Promise<Record<string, string>> {
  const [running = ""] = process.versions.node.split(".");
  const others = majors.filter((version) => version !== running);
  const prefix = await createTempFolder();
  const aliases = others.map((version) => `node-${version}@npm:node@${version}`);
  await execa("npm", ["install", "--prefix", prefix, "--no-save", ...aliases], { cwd: prefix });
  const at = (version: string) => join(prefix, "node_modules", `node-${version}`, "bin", "node");
  return {
    [running]: process.execPath,
    ...Object.fromEntries(others.map((version) => [version, at(version)])),
  };
}

/** Runs an installation with a version of Node, in a new home folder. */
async function run(
  version: string,
  prefix: string,
  argv: readonly string[],
  env: Record<string, string> = {},
) {
  const home = await createTempFolder();
  const script = join(prefix, "node_modules", "playtest", "bin", "playtest.js");
  const { exitCode, stdout, stderr } = await execa(nodes[version] ?? "", [script, ...argv], {
    cwd: home,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, ...env },
  });
  return { code: exitCode, out: stdout, err: stderr };
}

describe.each(versions)("on Node %s", (version) => {
  test("the binary has this version", async () => {
    const { stdout } = await execa(nodes[version] ?? "", ["--version"]);
    expect(stdout).toMatch(new RegExp(`^v${version}\\.`));
  });

  test("all commands that read work without the optional packages", async () => {
    let answer: unknown;
    const port = await listening((_request, response) => response.end(JSON.stringify(answer)));
    const env = {
      PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`,
      PLAYTEST_KEY: "k",
      PLAYTEST_INGEST_KEY: "i",
      PLAYTEST_GAME: "ember",
    };
    for (const [line, name] of Object.entries(readCommands)) {
      answer = responseBodies[name];
      const { code, out, err } = await run(version, withoutOptional, line.split(" "), env);
      expect([line, code, withoutNotices(err)]).toEqual([line, 0, ""]);
      expect(out, line).not.toBe("");
    }
    answer = responseBodies.listGames;
    for (const flags of [
      ["--format", "csv"],
      ["--format", "md"],
      ["--jq", ".games[].slug"],
    ]) {
      const { code, out, err } = await run(version, withoutOptional, ["games", "list", ...flags], env);
      expect([code, out.includes("ember"), err]).toEqual([0, true, ""]);
    }
  });

  test("the service works without optional packages", async () => {
    for (const argv of [
      [
        "server",
        "exec",
        "--create-game",
        "ember",
        "--",
        "playtest",
        "games",
        "list",
        "--jq",
        ".games[].slug",
      ],
      ["admin", "games", "create", "ember", "--jq", ".game.slug"],
    ]) {
      const { code, out, err } = await run(version, withoutOptional, argv);
      // `admin` reports that it creates the database file.
      expect([code, out, err.replace(/^Created the database .*$/, "")]).toEqual([0, "ember", ""]);
    }
  });

  test("the keychain is used if its package is installed, and otherwise the package is reported", async () => {
    const port = await listening((_request, response) =>
      response.end(JSON.stringify(responseBodies.listGames)),
    );
    const env = {
      PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`,
      PLAYTEST_KEY: "k",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent",
    };
    const without = await run(version, withoutOptional, ["login", "--keychain"], env);
    expect([without.code, without.err.split("\n")[0]]).toEqual([
      3,
      "error: @napi-rs/keyring, which is required for keychain access, is not installed",
    ]);
    const used = await run(version, withOptional, ["login", "--keychain"], env);
    expect([used.code, used.err.split(": ", 2).join(": ")]).toEqual([
      3,
      "error: The keychain cannot store the key",
    ]);
  });

  test("with the database driver, the service serves the demo", async () => {
    const demo = ["server", "exec", "--demo", "--", "playtest", "games", "list", "--jq", ".games[].slug"];
    expect(await run(version, withOptional, demo)).toEqual({ code: 0, out: "tidepool\nember", err: "" });
  });
});

/** The versions of Node that the program runs on, with the packed tarball installed as strictly as anyone may. */
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";
import { listening } from "../cli/program.ts";
import { readCommands } from "../cli/read-commands.ts";
import { answers } from "../client/response-fixtures.ts";
import { freshPlace, install, pack } from "./packed.ts";

/** The major versions; those with a database of their own need no driver. */
const versions = [
  ["20", false],
  ["22", true],
  ["24", true],
] as const;

let nodes: Record<string, string>;
/** Without optional packages, and with them; in both without a script run, so that nothing is compiled. */
let bare: string;
let whole: string;
beforeAll(async () => {
  const [found, packed] = await Promise.all([nodesOf(versions.map(([version]) => version)), pack()]);
  nodes = found;
  // Not with --global, where npm omits nothing of a tarball (npm/cli#8284).
  [bare, whole] = await Promise.all([
    install(packed, "--ignore-scripts", "--omit=optional"),
    install(packed, "--ignore-scripts"),
  ]);
});

/** The binaries of these versions: this very one, and the others from the package `node`. */
async function nodesOf(wanted: readonly string[]): Promise<Record<string, string>> {
  const [own = ""] = process.versions.node.split(".");
  const others = wanted.filter((version) => version !== own);
  const prefix = await freshPlace();
  const aliases = others.map((version) => `node-${version}@npm:node@${version}`);
  await execa("npm", ["install", "--prefix", prefix, "--no-save", ...aliases], { cwd: prefix });
  const at = (version: string) => join(prefix, "node_modules", `node-${version}`, "bin", "node");
  return { [own]: process.execPath, ...Object.fromEntries(others.map((version) => [version, at(version)])) };
}

/** Runs an installation under a version of Node, in a home of its own. */
async function run(
  version: string,
  prefix: string,
  argv: readonly string[],
  env: Record<string, string> = {},
) {
  const home = await freshPlace();
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

describe.each(versions)("on Node %s", (version, hasDatabase) => {
  test("is meant the version that runs", async () => {
    const { stdout } = await execa(nodes[version] ?? "", ["--version"]);
    expect(stdout).toMatch(new RegExp(`^v${version}\\.`));
  });

  test("every command that reads works without the optional packages", async () => {
    let answer: unknown;
    const port = await listening((_request, response) => response.end(JSON.stringify(answer)));
    const env = {
      PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`,
      PLAYTEST_KEY: "k",
      PLAYTEST_INGEST_KEY: "i",
      PLAYTEST_GAME: "ember",
    };
    for (const [line, name] of Object.entries(readCommands)) {
      answer = answers[name];
      const { code, out, err } = await run(version, bare, line.split(" "), env);
      expect([line, code, err]).toEqual([line, 0, ""]);
      expect(out, line).not.toBe("");
    }
    answer = answers.listGames;
    for (const flags of [
      ["--format", "csv"],
      ["--format", "md"],
      ["--jq", ".games[].slug"],
    ]) {
      const { code, out, err } = await run(version, bare, ["games", "list", ...flags], env);
      expect([code, out.includes("ember"), err]).toEqual([0, true, ""]);
    }
  });

  test("the service without its driver works or says how to get it", async () => {
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
      const { code, out, err } = await run(version, bare, argv);
      if (hasDatabase) expect([code, out, err]).toEqual([0, "ember", ""]);
      else {
        expect([code, out]).toEqual([3, ""]);
        expect(err).toMatch(/^error: The database driver .* is not installed\nhint: .*--omit=optional/);
      }
    }
  });

  test("the keychain without its package is told to be out of reach, and with it is reached for", async () => {
    const port = await listening((_request, response) => response.end(JSON.stringify(answers.listGames)));
    const env = {
      PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`,
      PLAYTEST_KEY: "k",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent",
    };
    const without = await run(version, bare, ["login", "--keychain"], env);
    expect([without.code, without.err.split("\n")[0]]).toEqual([
      3,
      "error: @napi-rs/keyring, which is required for keychain access, is not installed",
    ]);
    const reached = await run(version, whole, ["login", "--keychain"], env);
    expect([reached.code, reached.err.split(": ", 2).join(": ")]).toEqual([
      3,
      "error: The keychain cannot keep the key",
    ]);
  });

  test("the service with its driver serves the demo", async () => {
    const demo = ["server", "exec", "--demo", "--", "playtest", "games", "list", "--jq", ".games[].slug"];
    expect(await run(version, whole, demo)).toEqual({ code: 0, out: "tidepool\nember", err: "" });
  });
});

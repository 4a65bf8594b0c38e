/** The single executable: it runs without Node and without other files, also for commands that need native code. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, expect, test } from "vitest";
import { root } from "../cli/program.ts";
import { freshFolder } from "../harness.ts";

const version = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;

let executable: string;
beforeAll(async () => {
  const folder = freshFolder();
  await execa(process.execPath, [join(root, "scripts", "build-executable.mjs"), folder]);
  executable = join(folder, process.platform === "win32" ? "playtest.exe" : "playtest");
});

/** Runs the executable with a PATH without any program, in an empty home folder. */
async function run(argv: readonly string[], home = freshFolder()) {
  return await execa(executable, argv, {
    cwd: home,
    reject: false,
    extendEnv: false,
    env: { HOME: home, PATH: "/nowhere" },
  });
}

/** A command of a service without data. It needs a native package: the database driver. */
const serve = ["server", "exec", "--", "playtest", "games", "list"];

test("prints its version and help", async () => {
  expect(await run(["--version"])).toMatchObject({ exitCode: 0, stdout: version, stderr: "" });
  expect((await run(["gate", "--help"])).stdout).toContain("Usage: playtest gate [a] [b]");
});

test("judges, draws, queries and exports the demo", async () => {
  const home = freshFolder();
  const script = `
    "$0" gate 0.9.0 0.8.0 --game ember --report junit=gate.xml --report md=gate.md
    echo "gate: $?"
    "$0" heatmap --game ember --room furnace --out room.png
    "$0" games list --jq '.games[].slug'
    "$0" export sessions --game ember --out sessions.parquet
  `;
  const { stdout } = await run(["server", "exec", "--demo", "--", "/bin/sh", "-c", script, executable], home);
  expect(stdout).toMatch(/\ngate: 10\n(.*\n)*tidepool\nember\n/);
  expect(readFileSync(join(home, "gate.xml"), "utf8")).toContain("<failure ");
  expect(readFileSync(join(home, "gate.md"), "utf8")).toContain("0.8.0");
  expect(readFileSync(join(home, "room.png")).subarray(1, 4).toString()).toBe("PNG");
  expect(readFileSync(join(home, "sessions.parquet")).subarray(0, 4).toString()).toBe("PAR1");
});

test("prints completion scripts, and registers itself with an assistant", async () => {
  const { stdout } = await run(["completion", "zsh"]);
  expect(stdout).toBe(readFileSync(join(root, "completions", "_playtest"), "utf8").trimEnd());
  const install = [
    "mcp",
    "install",
    "claude-desktop",
    "--print",
    "--base-url",
    "https://playtest.example.com",
  ];
  const entry = (await run(install)).stdout;
  expect(entry).toContain(JSON.stringify(executable));
  expect(entry).not.toContain("bin/playtest.js");
});

test("copies native packages to the cache folder once, and replaces damaged ones", async () => {
  const home = freshFolder();
  expect((await run(serve, home)).exitCode).toBe(0);
  const cache = join(home, ".cache", "playtest", "code");
  const [folder = ""] = readdirSync(cache).filter((name) => name.startsWith("native-"));
  const copied = join(cache, folder, "node_modules", "@photostructure", "sqlite", "dist", "index.cjs");
  const original = readFileSync(copied);
  writeFileSync(copied, "process.exit(99)");
  expect((await run(serve, home)).exitCode).toBe(0);
  expect(readFileSync(copied).equals(original)).toBe(true);
  expect(readdirSync(cache)).toEqual([folder]);
});

test("serves without a writable cache folder, and removes its temporary copy", async () => {
  const home = freshFolder();
  mkdirSync(join(home, "tmp"));
  writeFileSync(join(home, ".cache"), "not a folder");
  const { exitCode } = await execa(executable, serve, {
    cwd: home,
    reject: false,
    extendEnv: false,
    env: { HOME: home, PATH: "/nowhere", TMPDIR: join(home, "tmp") },
  });
  expect(exitCode).toBe(0);
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
});

test("ignores a folder that others can write", async () => {
  const home = freshFolder();
  await run(serve, home);
  const cache = join(home, ".cache", "playtest", "code");
  const folder = join(cache, readdirSync(cache).find((name) => name.startsWith("native-")) ?? "");
  const planted = join(folder, "node_modules", "planted.js");
  writeFileSync(planted, "");
  chmodSync(folder, 0o777);
  expect((await run(serve, home)).exitCode).toBe(0);
  expect(existsSync(planted)).toBe(false);
});

/** The packed tarball: its files, and the installed program. */
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ready } from "../cli/program.ts";
import { install, type Packed, pack } from "./packed.ts";

let packed: Packed;
let prefix: string;
/** The installed program serving the demo, in a process of its own. */
let demo: { ready: Ready; stop(): Promise<void> };
beforeAll(async () => {
  packed = await pack();
  prefix = await install(packed, "--global");
  demo = await serveDemo();
});
afterAll(() => demo.stop());

/** Starts the installed program outside of the checkout, in a new home folder. */
async function start(args: readonly string[], served: Record<string, string | undefined> = {}) {
  const home = await mkdtemp(join(tmpdir(), "playtest-home-"));
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state") };
  const env = { ...own, ...served };
  return { child: execa(join(prefix, "bin", "playtest"), args, { cwd: home, env, reject: false }) };
}

async function run(args: readonly string[], served?: Record<string, string | undefined>) {
  return await (await start(args, served)).child;
}

/** Runs the installed program with the URL and key of the demo. */
async function runOnDemo(args: readonly string[]) {
  return await run(args, { PLAYTEST_BASE_URL: demo.ready.url, PLAYTEST_KEY: demo.ready.managementKey });
}

async function serveDemo() {
  const { child } = await start([
    "server",
    "start",
    "--demo",
    "--database",
    ":memory:",
    "--port",
    "0",
    "--json",
  ]);
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk)));
    child.then(({ stderr }) => reject(new Error(`It ended: ${stderr}`)), reject);
  });
  const stop = async () => {
    child.kill("SIGTERM");
    expect((await child).exitCode).toBe(0);
  };
  return { ready: JSON.parse(line) as Ready, stop };
}

test("contains the program, its schemas and the README, but no sources or tests", () => {
  const { paths } = packed;
  const shipped = [
    "bin/playtest.js",
    "dist/bin.js",
    "schemas/playtest.config.schema.json",
    "schemas/playtest.csv-map.schema.json",
    "README.md",
  ];
  for (const path of shipped) expect(paths).toContain(path);
  expect(paths.filter((file) => /^(src|test|bench|scripts|node_modules)\//.test(file))).toEqual([]);
});

test("contains everything that is required for PNG files, and the license of the font", async () => {
  const files = ["dist/resvg.wasm.br", "dist/DejaVuSans.ttf.br", "dist/DejaVuSans.LICENSE"];
  for (const path of files) expect(packed.paths).toContain(path);
  const out = join(await mkdtemp(join(tmpdir(), "playtest-png-")), "furnace.png");
  const argv = ["heatmap", "--game", "ember", "--room", "furnace", "--out", out];
  const { exitCode } = await runOnDemo(argv);
  expect(exitCode).toBe(0);
  expect((await readFile(out)).subarray(1, 4).toString()).toBe("PNG");
});

test("takes at most 25 MB, with the database driver for every platform", () => {
  const files = readdirSync(prefix, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const sizes = files.map(({ parentPath, name }) => lstatSync(join(parentPath, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(25_000_000);
  const dist = join(prefix, "lib", "node_modules", "playtest", "dist");
  const platforms = JSON.parse(readFileSync(join(dist, "native.json"), "utf8")) as Record<
    string,
    { hashes: Record<string, string> }
  >;
  expect(Object.keys(platforms)).toEqual([
    ...["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"],
    ...["win32-arm64", "win32-x64"],
  ]);
  const stored = new Set(readdirSync(dist));
  for (const { hashes } of Object.values(platforms))
    for (const hash of Object.values(hashes)) expect(stored).toContain(`${hash}.br`);
});

test.runIf(Number(process.versions.node.split(".")[0]) < 22)(
  "copies the database driver to the cache folder once, and replaces a damaged copy",
  async () => {
    const cache = await mkdtemp(join(tmpdir(), "playtest-cache-"));
    const serve = () => run(["server", "exec", "--", "true"], { XDG_CACHE_HOME: cache });
    expect((await serve()).exitCode).toBe(0);
    const folders = readdirSync(join(cache, "playtest", "code")).filter((name) => name.startsWith("native-"));
    expect(folders).toHaveLength(1);
    const driver = join(
      ...[cache, "playtest", "code", folders[0] ?? "", "node_modules"],
      "@photostructure/sqlite/dist/index.cjs",
    );
    const original = readFileSync(driver);
    writeFileSync(driver, "process.exit(99)");
    expect((await serve()).exitCode).toBe(0);
    expect(readFileSync(driver).equals(original)).toBe(true);
  },
);

test("installs its man pages where man finds them", () => {
  expect(readdirSync(join(prefix, "share", "man", "man1"))).toContain("playtest.1");
  expect(readdirSync(join(prefix, "share", "man", "man7"))).toContain("playtest-exit-codes.7");
});

test("prints its version and help", async () => {
  const version = await run(["--version"]);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+$/);
  expect((await run(["builds", "compare", "--help"])).stdout).toContain(
    "Usage: playtest builds compare [a] [b]",
  );
});

test("prints the completion script of the repository", async () => {
  const { stdout } = await run(["completion", "zsh"]);
  expect(stdout).toBe(
    (await readFile(join(import.meta.dirname, "../../completions/_playtest"), "utf8")).trimEnd(),
  );
});

test("serves the demo, and fails a CI job that finds new friction", async () => {
  const compare = "builds compare previous latest -g ember --fail-on introduced --json".split(" ");
  const failed = await run(["server", "exec", "--demo", "--", "playtest", ...compare]);
  expect(failed.exitCode).toBe(10);
  const { diff } = JSON.parse(failed.stdout) as { diff: { changes: { kind: string; tag: string }[] } };
  expect(diff.changes).toContainEqual(
    expect.objectContaining({ kind: "introduced", tag: "difficulty-spike:furnace" }),
  );
  expect(failed.stderr).toMatch(/^GATE FAILED: .*: difficulty-spike:furnace/m);
});

test("loads files that are only needed for some commands: jq, CSV and the config", async () => {
  const jq = await runOnDemo(["games", "list", "--jq", ".games[].slug"]);
  expect(jq.stdout).toBe("tidepool\nember");
  const csv = await runOnDemo(["events", "--game", "ember", "--format", "csv"]);
  expect(csv.stdout).toMatch(/^"name","count"\n"player_pos",\d+\n/);
  expect((await run(["config", "list", "--json"])).exitCode).toBe(0);
  expect((await run(["config", "set", "game", "ember"])).exitCode).toBe(0);
});

/** The packed tarball: what it holds, and that it runs where it is installed. */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
let prefix: string;
let files: string[];

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "playtest-pack-"));
  const { stdout } = await execa("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root });
  // `prepare` may print before npm's own JSON.
  const packed = JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as unknown;
  const [entry] = Object.values(packed as Record<string, { filename: string; files: { path: string }[] }>);
  if (!entry) throw new Error("npm pack told of no tarball");
  files = entry.files.map((file) => file.path);
  prefix = join(folder, "prefix");
  await execa("npm", ["install", "--global", "--prefix", prefix, join(folder, entry.filename)], {
    cwd: folder,
  });
});

/** Runs the installed program, away from the checkout and with a home of its own. */
async function run(args: readonly string[]) {
  const home = await mkdtemp(join(tmpdir(), "playtest-home-"));
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state") };
  return await execa(join(prefix, "bin", "playtest"), args, { cwd: home, env, reject: false });
}

test("holds the program and its papers, and neither sources nor tests", () => {
  expect(files).toContain("bin/playtest.js");
  expect(files).toContain("dist/bin.js");
  expect(files).toContain("README.md");
  expect(files.filter((file) => /^(src|test|bench|scripts|node_modules)\//.test(file))).toEqual([]);
});

test("answers version and help", async () => {
  const version = await run(["--version"]);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+$/);
  expect((await run(["builds", "compare", "--help"])).stdout).toContain(
    "Usage: playtest builds compare <a> <b>",
  );
});

test("serves the demo and answers what a CI job asks", async () => {
  const compare = [
    "builds",
    "compare",
    "0.8.0",
    "0.9.0",
    "--game",
    "ember",
    "--fail-on",
    "introduced",
    "--json",
  ];
  const failed = await run(["server", "exec", "--demo", "--", "playtest", ...compare]);
  expect(failed.exitCode).toBe(10);
  const { diff } = JSON.parse(failed.stdout) as { diff: { changes: { kind: string; tag: string }[] } };
  expect(diff.changes).toContainEqual(
    expect.objectContaining({ kind: "introduced", tag: "difficulty-spike:furnace" }),
  );
});

test("finds what is loaded late: jq, csv, the config file and the repository's", async () => {
  const jq = await run([
    "server",
    "exec",
    "--demo",
    "--",
    "playtest",
    "games",
    "list",
    "--jq",
    ".games[].slug",
  ]);
  expect(jq.stdout).toBe("tidepool\nember");
  const csv = await run([
    "server",
    "exec",
    "--demo",
    "--",
    "playtest",
    "events",
    "--game",
    "ember",
    "--format",
    "csv",
  ]);
  expect(csv.stdout).toMatch(/^name,count\nplayer_pos,\d+\n/);
  expect((await run(["config", "list", "--json"])).exitCode).toBe(0);
  expect((await run(["config", "set", "game", "ember"])).exitCode).toBe(0);
});

/** Files are only written inside the chosen folder, even with hostile names from the service and links in the folder. */
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXTENSIONS_HEADER } from "../../src/contract/announcement.ts";
import { findEndpoint, responseBodies } from "../client/response-fixtures.ts";
import { type ScriptedReply, script } from "../client/script.ts";
import { readFiles, writeSessionManifest } from "../export/export-fixtures.ts";
import { freshFolder, runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };

/** Names that point to other folders, or that file systems reject. */
const names = [
  "../../escaped",
  "..",
  ".",
  "/tmp/escaped",
  "C:\\escaped",
  "..\\..\\escaped",
  "\\\\host\\share",
  "a\0b",
  "con",
  "NUL.txt",
  "aux ",
  "x".repeat(300),
  "é".repeat(200),
  "a/b",
  "~",
  "$HOME",
  ".ssh",
  "-rf",
  "name\nwith\rlines",
  "\u202eexe.txt",
  "",
];

/** Fields with names, for example of games, builds, rooms and tags. */
const NAMING = /^(slug|name|id|room|version|gameVersion|tag|title|key|handle|environment|testerHandle)$/;

/** Returns a copy of a response with this name in all fields with names. */
function replaceNames(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceNames(item, name));
  if (typeof value !== "object" || value === null) return value;
  const renamed = Object.entries(value).map(([key, child]) => [
    key === "ember" ? name : key,
    NAMING.test(key) && typeof child === "string" ? name : replaceNames(child, name),
  ]);
  return Object.fromEntries(renamed);
}

const service = (name: string, onRequest: (nth: number) => void = () => {}) =>
  script(({ url }, nth): ScriptedReply => {
    onRequest(nth);
    const headers = { [EXTENSIONS_HEADER]: "getBuildFacts" };
    return { body: replaceNames(responseBodies[findEndpoint(url)], name), headers };
  });

const lines = [
  "export sessions insights events heatmaps handles batches experiments --all-games --out out/x",
  "report 1 2 --out out/r.html",
  "heatmap --out out/h.svg",
  "heatmap --out out/h.csv",
  "builds compare 1 2 --out out/c.svg",
  "gate 1 2 --report md=out/g.md --report junit=out/g.xml --report json=out/g.json",
  "gate save 1 --out out/b.json",
  "games list",
];

/** Returns all paths below a folder that do not match `expected`. */
const listUnexpected = (folder: string, expected: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => !expected.test(path));

test.each(lines)("%s writes only to its folder, whatever names the service returns", async (line) => {
  let written = 0;
  for (const name of names) {
    const above = freshFolder();
    const cwd = join(above, "a", "b");
    mkdirSync(join(cwd, "out"), { recursive: true });
    const home = freshFolder();
    const { transport } = service(name);
    const { code, err } = await runCli(
      [...line.split(" "), ...(line.startsWith("export") ? ["--unpaced"] : [])],
      { env, transport, cwd, home },
    );
    expect([name, code === 1 ? err : "no bug"]).toEqual([name, "no bug"]);
    expect(listUnexpected(above, /^a(\/b(\/out(\/|$)|$)|$)/)).toEqual([]);
    expect(listUnexpected(home, /^state(\/completion(\/[^/]*\.json)?)?$/)).toEqual([]);
    written += Object.keys(readFiles(join(cwd, "out"))).length;
    for (const path of Object.keys(readFiles(join(cwd, "out")))) {
      for (const segment of path.split("/")) expect(segment).toMatch(/^[ -~]{1,200}$/);
    }
  }
  if (line !== "games list") expect(written).toBeGreaterThan(0);
  expect(existsSync("/tmp/escaped")).toBe(false);
});

/** Creates a file outside of the chosen folder that must not be changed. */
function createOutsideFile() {
  const folder = freshFolder();
  const path = join(folder, "precious");
  writeFileSync(path, "precious");
  return {
    folder,
    path,
    isUnchanged: () => readFileSync(path, "utf8") === "precious" && readdirSync(folder).length === 1,
  };
}

const exporting = "export sessions -g ember --format ndjson --unpaced --out x";
const GAME = "x/sessions/game=ember";
const MANIFESTS = "x/_playtest/sessions/game=ember";
const run = async (line: string, cwd: string, onRequest?: (nth: number) => void) =>
  await runCli(line.split(" "), { env, cwd, transport: service("ember", onRequest).transport });

describe("a symbolic link", () => {
  test.each([
    ["report 1 2 --out r.html", "r.html"],
    ["heatmap --out h.svg", "h.svg"],
    ["gate save 1 --out b.json", "b.json"],
    ["gate 1 2 --report md=g.md", "g.md"],
    ["export sessions -g ember --unpaced --out s.ndjson", "s.ndjson"],
    ["export sessions -g ember --unpaced --out s.ndjson", "s.ndjson.manifest.json"],
    ["gate init", "playtest.config.schema.json"],
  ])("in place of an output file of `%s` is replaced, not followed", async (line, file) => {
    const cwd = freshFolder();
    const { path, isUnchanged } = createOutsideFile();
    symlinkSync(path, join(cwd, file));
    const { code } = await run(line, cwd);
    expect([[0, 10, 11].includes(code), lstatSync(join(cwd, file)).isSymbolicLink(), isUnchanged()]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test.each([
    "x/sessions",
    GAME,
    `${GAME}/day=2026-02-25`,
    `${GAME}/day=2026-02-25/data.ndjson`,
    "x/_playtest",
    MANIFESTS,
    `${MANIFESTS}/day=2026-02-25.ndjson.draft`,
    `${MANIFESTS}/day=2026-02-25.json`,
    `${MANIFESTS}/all.json`,
  ])("at %s in an export folder is reported, not followed", async (path) => {
    const cwd = freshFolder();
    const { folder, path: target, isUnchanged } = createOutsideFile();
    // Data without any manifest would be refused for that.
    if (path.startsWith(`${GAME}/`)) writeSessionManifest(join(cwd, "x"), env.PLAYTEST_BASE_URL, "ndjson");
    const isManifest = path.startsWith(MANIFESTS);
    for (const existing of [dirname(path), ...(isManifest ? [GAME] : [])])
      mkdirSync(join(cwd, existing), { recursive: true });
    symlinkSync(/json/.test(path) ? target : folder, join(cwd, path));
    const { code, err } = await run(exporting, cwd);
    // This export does not write a file with this name.
    if (!path.endsWith("all.json")) {
      expect(code).toBe(3);
      expect(err).toMatch(/it is a symbolic link\nhint: /);
    }
    expect(isUnchanged()).toBe(true);
  });

  test("in place of the state or its lock is not followed", async () => {
    for (const name of ["state.json", `lock.${process.pid}.new`, "state.json.draft"]) {
      const cwd = freshFolder();
      const { path, isUnchanged } = createOutsideFile();
      mkdirSync(join(cwd, "x/_playtest"), { recursive: true });
      symlinkSync(path, join(cwd, "x/_playtest", name));
      await run(`${exporting} --since-last`, cwd);
      expect([name, isUnchanged()]).toEqual([name, true]);
    }
  });

  test("that replaces a folder while the export runs is not followed", async () => {
    // The export writes the file of a day between two requests, so that later files encounter the link.
    for (let when = 0; when < 6; when += 1) {
      const cwd = freshFolder();
      const { folder, isUnchanged } = createOutsideFile();
      const { code } = await run(exporting, cwd, (nth) => {
        if (nth !== when || existsSync(join(cwd, GAME))) return;
        mkdirSync(join(cwd, "x/sessions"), { recursive: true });
        symlinkSync(folder, join(cwd, GAME));
      });
      expect([when, code === 1, isUnchanged()]).toEqual([when, false, true]);
    }
  });
});

test("a hard link to another file is replaced, not written to", async () => {
  const cwd = freshFolder();
  const { path, isUnchanged } = createOutsideFile();
  for (const folder of [`${GAME}/day=2026-02-25`, MANIFESTS])
    mkdirSync(join(cwd, folder), { recursive: true });
  writeSessionManifest(join(cwd, "x"), env.PLAYTEST_BASE_URL, "ndjson");
  linkSync(path, join(cwd, MANIFESTS, "day=2026-02-25.ndjson.draft"));
  linkSync(path, join(cwd, GAME, "day=2026-02-25/data.ndjson"));
  linkSync(path, join(cwd, "r.html"));
  linkSync(path, join(cwd, `r.html.${process.pid}.tmp`));
  expect((await run(exporting, cwd)).code).toBe(0);
  expect((await run("report 1 2 --out r.html", cwd)).code).toBe(0);
  expect(isUnchanged()).toBe(true);
});

test.runIf(process.platform === "linux")("does not replace a file that is not a regular file", async () => {
  const { code, err } = await run("gate save 1 --out /dev/null", freshFolder());
  expect([code, lstatSync("/dev/null").isCharacterDevice()]).toEqual([3, true]);
  expect(err).toContain("Cannot write the baseline /dev/null: it is not a regular file");
});

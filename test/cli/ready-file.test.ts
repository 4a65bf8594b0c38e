/** The file named with `server start --ready-file`: it holds keys, so nobody else may read it, whatever was there before. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../harness.ts";
import { playtest, startServer } from "./program.ts";

const database = () => ["--port", "0", "--database", join(freshFolder(), "play.db")];
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Starts a server, stops it, and returns the line it printed. */
async function startOnce(readyFile: string): Promise<string> {
  const { child, line } = await startServer([...database(), "--ready-file", readyFile]);
  child.kill("SIGTERM");
  await child;
  return line;
}

describe("--ready-file", () => {
  test("gives the keys mode 0600 when the file or a leftover draft of it had mode 0644", async () => {
    const folder = freshFolder();
    const file = join(folder, "ready.json");
    for (const name of [file, `${file}.tmp`]) writeFileSync(name, "old", { mode: 0o644 });
    const line = await startOnce(file);
    expect([readFileSync(file, "utf8"), modeOf(file)]).toEqual([line, "600"]);
    expect(readFileSync(`${file}.tmp`, "utf8")).toBe("old");
    expect(readdirSync(folder).sort()).toEqual(["ready.json", "ready.json.tmp"]);
  });

  test("never writes the keys through a symbolic link", async () => {
    const [folder, outside] = [freshFolder(), freshFolder()];
    const file = join(folder, "ready.json");
    const stolen = join(outside, "stolen");
    for (const name of [file, `${file}.tmp`]) symlinkSync(stolen, name);
    const line = await startOnce(file);
    expect(existsSync(stolen)).toBe(false);
    expect([lstatSync(file).isFile(), readFileSync(file, "utf8"), modeOf(file)]).toEqual([true, line, "600"]);
  });

  test("creates missing folders that only their owner can enter", async () => {
    const folder = join(freshFolder(), "new");
    await startOnce(join(folder, "ready.json"));
    expect([modeOf(folder), readdirSync(folder)]).toEqual(["700", ["ready.json"]]);
  });

  test("ends with exit code 3 and names the file when it cannot be written", async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, "ready.json"));
    const argv = ["server", "start", ...database(), "--ready-file", join(folder, "ready.json")];
    const { exitCode, stderr } = await playtest(argv);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining(`Cannot write the ready file ${join(folder, "ready.json")}`),
    ]);
    expect(readdirSync(folder)).toEqual(["ready.json"]);
  });
});

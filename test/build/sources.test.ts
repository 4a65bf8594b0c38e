/** The program runs from its sources without a build, and prints the same texts as the built program. */
import { cp, mkdir, mkdtemp, readFile, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "playtest-sources-"));
  await mkdir(join(copy, "docs"));
  for (const path of ["package.json", "tsconfig.json", "docs/openapi.json", "scripts", "src"])
    await cp(join(root, path), join(copy, path), { recursive: true });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
});

const env = () => ({ HOME: copy, XDG_CONFIG_HOME: copy, XDG_STATE_HOME: copy });

/** Runs the program from its sources, and the built program. */
async function runBoth(...argv: string[]): Promise<[sources: string, built: string]> {
  const sources = ["--import", "tsx", join(copy, "src/bin.ts"), ...argv];
  const built = [join(root, "bin/playtest.js"), ...argv];
  const runs = [sources, built].map((args) => execa("node", args, { cwd: copy, env: env() }));
  const [one, other] = await Promise.all(runs);
  return [one?.stdout ?? "", other?.stdout ?? ""];
}

test.each(["--version", "--help", "help exit-codes", "builds compare --help"])("%s", async (line) => {
  const [sources, built] = await runBoth(...line.split(" "));
  expect(sources).not.toBe("");
  expect(sources).toBe(built);
});

test("/openapi.json", async () => {
  const fetchDocument = `fetch(process.env.PLAYTEST_BASE_URL + "/openapi.json")
    .then((response) => response.text()).then((text) => process.stdout.write(text))`;
  const [sources, built] = await runBoth(
    ...["server", "exec", "--database", ":memory:", "--", "node", "-e", fetchDocument],
  );
  expect(sources).toBe(built);
  const recorded = await readFile(join(root, "docs/openapi.json"), "utf8");
  expect(JSON.parse(sources)).toEqual(JSON.parse(recorded));
});

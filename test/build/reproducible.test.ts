/** The build depends on the sources alone. */
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

test("building the same sources twice produces the same files", async () => {
  const again = await mkdtemp(join(tmpdir(), "playtest-again-"));
  await execa("node", [join(root, "scripts", "build.mjs"), again]);
  const folders = [join(root, "dist"), again];
  const listFiles = async (folder: string) => (await readdir(folder, { recursive: true })).sort();
  const [names = [], others] = await Promise.all(folders.map(listFiles));
  expect(others).toEqual(names);
  for (const name of names.filter((one) => extname(one) !== "" && extname(one) !== ".cache")) {
    const [one, other] = await Promise.all(folders.map((folder) => readFile(join(folder, name), "utf8")));
    expect(other === one, name).toBe(true);
  }
});

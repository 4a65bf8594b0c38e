/** The Python in docs/guide/recipes.md runs with pandas, and prints the shares of testers of `builds compare`. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { readFences } from "../docs/fences.ts";

const root = join(import.meta.dirname, "..", "..");
const program = join(root, "bin", "playtest.js");

/** The first Python with pandas. Debian installs packages for its own Python, which may not be the first in PATH. */
async function findPython(): Promise<string> {
  for (const python of ["python3", "/usr/bin/python3"]) {
    const { failed } = await execa(python, ["-c", "import pandas"], { reject: false });
    if (!failed) return python;
  }
  throw new Error("These tests need pandas. Install it: apt-get install python3-pandas");
}

test("the pandas script shows the testers with each tag by build", async () => {
  const python = await findPython();
  const fences = readFences(readFileSync(join(root, "docs", "guide", "recipes.md"), "utf8"));
  const script = fences.find(({ language }) => language === "python")?.content ?? "";
  const at = fences.findIndex(({ language }) => language === "python");
  const commands = (fences[at - 1]?.content ?? "")
    .replaceAll("playtest ", `"${process.execPath}" "${program}" `)
    .replaceAll("--format", "--unpaced --format");
  const home = mkdtempSync(join(tmpdir(), "playtest-pandas-"));
  const comparison = `"${process.execPath}" "${program}" builds compare`;
  const compare = ["0.7.5 0.8.0", "0.9.0 unknown"].map(
    (builds, index) => `${comparison} ${builds} --game ember --json > compare-${index}.json`,
  );
  const exec = ["server", "exec", "--demo", "--limits", "off", "--", "sh", "-ec"];
  await execa(process.execPath, [program, ...exec, [commands, ...compare].join("\n")], {
    cwd: home,
    env: { HOME: home, PATH: process.env.PATH ?? "", TZ: "UTC" },
    extendEnv: false,
  });
  const { stdout } = await execa(python, ["-c", script], { cwd: home });
  const rows = stdout.split("\n").slice(1);
  expect(rows).toHaveLength(10);
  const shares = new Map<string, number>();
  for (const index of [0, 1]) {
    const { buildA, buildB } = JSON.parse(readFileSync(join(home, `compare-${index}.json`), "utf8"));
    for (const { version, byTag } of [buildA, buildB])
      for (const { tag, testersWithTag, testersInBatch } of byTag)
        shares.set(`${version} ${tag}`, (100 * testersWithTag) / testersInBatch);
  }
  const found = rows.map((row) => row.trim().split(/ +/));
  for (const [build, tag, percent] of found)
    expect(Math.abs(Number(percent) - (shares.get(`${build} ${tag}`) ?? Number.NaN))).toBeLessThan(0.051);
  const highest = [...shares.values()].sort((a, b) => b - a).slice(0, rows.length);
  for (const [index, share] of highest.entries())
    expect(Math.abs(Number(found[index]?.[2]) - share)).toBeLessThan(0.051);
});

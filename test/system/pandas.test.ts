/** The Python in docs/data.md runs with pandas, and prints what the lists of the command line contain. */
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

test("the pandas script shows the sessions with each tag by build", { timeout: 120_000 }, async () => {
  const python = await findPython();
  const fences = readFences(readFileSync(join(root, "docs", "data.md"), "utf8"));
  const script = fences.find(({ language }) => language === "python")?.content ?? "";
  const at = fences.findIndex(({ language }) => language === "python");
  const commands = (fences[at - 1]?.content ?? "")
    .replaceAll("playtest ", `"${process.execPath}" "${program}" `)
    .replaceAll("--format", "--unpaced --format");
  const home = mkdtempSync(join(tmpdir(), "playtest-pandas-"));
  const lists = ["insights", "sessions"].map(
    (noun) => `"${process.execPath}" "${program}" ${noun} list --game ember --all --json > ${noun}.json`,
  );
  const exec = ["server", "exec", "--demo", "--limits", "off", "--", "sh", "-ec"];
  await execa(process.execPath, [program, ...exec, [commands, ...lists].join("\n")], {
    cwd: home,
    env: { HOME: home, PATH: process.env.PATH ?? "", TZ: "UTC" },
    extendEnv: false,
  });
  const { stdout } = await execa(python, ["-c", script], { cwd: home });
  const rows = stdout.split("\n").slice(1);
  expect(rows).toHaveLength(10);
  const read = (noun: string) => JSON.parse(readFileSync(join(home, `${noun}.json`), "utf8")).items;
  const builds = new Map<string, string>(
    read("sessions").map((one: { id: string; metadata: { gameVersion: string } }) => [
      one.id,
      one.metadata.gameVersion,
    ]),
  );
  const insights: { tag: string; sentiment: string; sessionId: string }[] = read("insights");
  for (const row of rows) {
    const [build = "", tag = "", percent] = row.trim().split(/ +/);
    const withTag = new Set(
      insights
        .filter(
          (one) => one.tag === tag && one.sentiment === "negative" && builds.get(one.sessionId) === build,
        )
        .map(({ sessionId }) => sessionId),
    );
    const all = [...builds.values()].filter((one) => one === build).length;
    expect(Number(percent)).toBeCloseTo((100 * withTag.size) / all, 0);
  }
});

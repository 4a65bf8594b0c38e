/** The Homebrew formula and the Scoop manifest of a release. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { root } from "../cli/program.ts";
import { freshFolder } from "../harness.ts";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const script = join(root, "scripts", "package-managers.mjs");
const repository = "https://github.com/studio/playtest";
const hash = (text: string) => createHash("sha256").update(text).digest("hex");

test("name the files of the release with their hashes", async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, `playtest-${version}.tgz`), "tarball");
  writeFileSync(join(folder, `playtest-${version}-win-x64.zip`), "archive");
  await execa(process.execPath, [script, folder, `${repository}/`]);

  const formula = readFileSync(join(folder, "playtest.rb"), "utf8");
  expect(formula).toContain(`url "${repository}/releases/download/v${version}/playtest-${version}.tgz"`);
  expect(formula).toContain(`sha256 "${hash("tarball")}"`);
  const opened = formula.match(/^ *(class|def|test do)\b/gm) ?? [];
  expect(formula.match(/^ *end$/gm)).toHaveLength(opened.length);
  // What the formula installs is in the package.
  for (const [, path = ""] of formula.matchAll(/"(completions\/[^"]+)"/g))
    expect(readFileSync(join(root, path), "utf8")).toContain("playtest");

  const manifest = JSON.parse(readFileSync(join(folder, "playtest.json"), "utf8")) as Record<string, unknown>;
  const download = `${repository}/releases/download`;
  expect(manifest).toMatchObject({
    version,
    bin: "playtest.exe",
    architecture: {
      "64bit": {
        url: `${download}/v${version}/playtest-${version}-win-x64.zip`,
        hash: hash("archive"),
      },
    },
    checkver: { github: repository },
    autoupdate: {
      architecture: { "64bit": { url: `${download}/v$version/playtest-$version-win-x64.zip` } },
    },
  });
});

test("are not written without the files of a release, or without the address of a repository", async () => {
  const folder = freshFolder();
  const missing = await execa(process.execPath, [script, folder, repository], { reject: false });
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining(`playtest-${version}.tgz`)]);
  const usage = await execa(process.execPath, [script, folder], { reject: false });
  expect([usage.exitCode, usage.stderr]).toEqual([2, expect.stringContaining("usage:")]);
});

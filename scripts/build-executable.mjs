/**
 * Builds a single executable for this platform from dist/, which must be up to date: Node itself, the program as its main
 * script, and all other files as assets (https://nodejs.org/api/single-executable-applications.html).
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { inject } from "postject";
import { bundleScript, root } from "./bundle.mjs";
import { createProgram } from "./program.mjs";

const PACKAGES = join(root, "node_modules");
const SENTINEL = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const { platform, arch, execPath } = process;

const target = resolve(process.argv[2] ?? join(root, "dist-executable"));
const executable = join(target, platform === "win32" ? "playtest.exe" : "playtest");
const staged = mkdtempSync(join(tmpdir(), "playtest-executable-"));

/** The paths of the files in a folder and its subfolders. */
function listFiles(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The files of the packages with native code, for this platform. */
function listNativeFiles() {
  const [keyring] = readdirSync(join(PACKAGES, "@napi-rs")).filter((name) =>
    name.startsWith(`keyring-${platform}-${arch}`),
  );
  const isNeeded = /(?:^|[/\\])package\.json$|\.c?js$|\.node$/;
  return [
    ...["package.json", "dist/index.cjs"].map((name) => join(PACKAGES, "@photostructure/sqlite", name)),
    ...listFiles(join(PACKAGES, "@photostructure/sqlite/prebuilds", `${platform}-${arch}`)),
    ...listFiles(join(PACKAGES, "node-gyp-build")).filter((path) => isNeeded.test(path)),
    ...["package.json", "index.js"].map((name) => join(PACKAGES, "@napi-rs/keyring", name)),
    ...(keyring === undefined
      ? []
      : listFiles(join(PACKAGES, "@napi-rs", keyring)).filter((path) => isNeeded.test(path))),
  ];
}

/** Names with forward slashes on every platform. */
const toName = (from, path) => relative(from, path).replaceAll("\\", "/");

function listAssets() {
  const native = listNativeFiles().map((path) => [toName(root, path), path]);
  const hash = createHash("sha256");
  for (const [name, path] of native) hash.update(`${name}\0`).update(readFileSync(path));
  const index = join(staged, "native.json");
  const id = hash.digest("hex").slice(0, 16);
  writeFileSync(index, JSON.stringify({ id, paths: native.map(([name]) => name) }));
  const man = join(root, "dist", "man");
  const shipped = ["dist", "completions"]
    .flatMap((folder) => listFiles(join(root, folder)))
    .filter((path) => !path.startsWith(man));
  return Object.fromEntries([
    ...shipped.map((path) => [toName(root, path), path]),
    ...native,
    ["native.json", index],
  ]);
}

try {
  const { start } = await createProgram();
  const loader = await bundleScript("scripts/executable.ts", "executable");
  const main = join(staged, "main.js");
  const call = `executable.start(${start},executable.files,executable.createRequireOfExecutable(require));`;
  writeFileSync(main, `"use strict";\n${loader}${call}\n`);
  const blob = join(staged, "blob");
  const config = join(staged, "config.json");
  const options = { disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify({ main, output: blob, assets: listAssets(), ...options }));
  execFileSync(execPath, ["--experimental-sea-config", config], { stdio: ["ignore", "ignore", "inherit"] });
  mkdirSync(target, { recursive: true });
  copyFileSync(execPath, executable);
  if (platform === "darwin") execFileSync("codesign", ["--remove-signature", executable]);
  const segment = platform === "darwin" ? { machoSegmentName: "NODE_SEA" } : {};
  await inject(executable, "NODE_SEA_BLOB", readFileSync(blob), { sentinelFuse: SENTINEL, ...segment });
  if (platform === "darwin") execFileSync("codesign", ["--sign", "-", executable]);
} finally {
  rmSync(staged, { recursive: true, force: true });
}

/**
 * Builds a single executable for this platform from dist/, which must be up to date: Node itself, the program as its main
 * script, and all other files as assets (https://nodejs.org/api/single-executable-applications.html).
 */
import { execFileSync } from "node:child_process";
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
import { describeFiles, driverFiles } from "./native-files.mjs";
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

/** The paths of the packages with native code, for this platform. */
function listNativeFiles() {
  const [keyring] = readdirSync(join(PACKAGES, "@napi-rs")).filter((name) =>
    name.startsWith(`keyring-${platform}-${arch}`),
  );
  const isNeeded = /(?:^|[/\\])package\.json$|\.c?js$|\.node$/;
  const ofKeyring = [
    ...["package.json", "index.js"].map((name) => join(PACKAGES, "@napi-rs/keyring", name)),
    ...(keyring === undefined
      ? []
      : listFiles(join(PACKAGES, "@napi-rs", keyring)).filter((path) => isNeeded.test(path))),
  ];
  return [...driverFiles(`${platform}-${arch}`), ...ofKeyring.map(toName)];
}

/** The path from the root of the project, with forward slashes on every platform. */
const toName = (path) => relative(root, path).replaceAll("\\", "/");

function listAssets() {
  const native = listNativeFiles();
  const index = join(staged, "native.json");
  writeFileSync(index, JSON.stringify(describeFiles(native)));
  // An executable has its native packages as they are.
  const isUnused = /^dist\/(?:man\/|native\.js)|^dist\/[0-9a-f]{64}\.br$/;
  const shipped = ["dist", "completions"]
    .flatMap((folder) => listFiles(join(root, folder)).map(toName))
    .filter((name) => !isUnused.test(name));
  const assets = [...shipped, ...native].map((name) => [name, join(root, name)]);
  return Object.fromEntries([...assets, ["native.json", index]]);
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

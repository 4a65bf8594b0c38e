/** Finds the files of packages with native code that the program contains, and describes them for `native-packages.ts`. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { root } from "./bundle.mjs";

/** The package of the SQLite driver. */
export const DRIVER = "@photostructure/sqlite";
const FOLDER = `node_modules/${DRIVER}`;
const LOADER = "node_modules/node-gyp-build";
export const driverFolders = [FOLDER, LOADER];

/** The platforms for which the SQLite driver has binaries, such as "linux-x64". */
export const driverPlatforms = () => readdirSync(join(root, FOLDER, "prebuilds")).sort();

/** The paths of the SQLite driver for a platform, from the root of the project with forward slashes. */
export function driverFiles(platform) {
  const binaries = readdirSync(join(root, FOLDER, "prebuilds", platform));
  return [
    ...["package.json", "dist/index.cjs"].map((name) => `${FOLDER}/${name}`),
    ...["package.json", "index.js", "node-gyp-build.js"].map((name) => `${LOADER}/${name}`),
    ...binaries.map((name) => `${FOLDER}/prebuilds/${platform}/${name}`),
  ];
}

/** The hash of all files, and of each by path. */
export function describeFiles(paths) {
  const hashes = Object.fromEntries(paths.map((path) => [path, sha256(readFileSync(join(root, path)))]));
  return { id: sha256(JSON.stringify(hashes)).slice(0, 16), hashes };
}

const sha256 = (content) => createHash("sha256").update(content).digest("hex");

/**
 * Writes `native.json`, which describes the driver by platform, and its files as `<hash>.br` to `folder`. Copies those that
 * an earlier build compressed to `earlier`.
 */
export async function writeDriver(folder, earlier) {
  const platforms = driverPlatforms().map((platform) => [platform, describeFiles(driverFiles(platform))]);
  await writeFile(join(folder, "native.json"), JSON.stringify(Object.fromEntries(platforms)));
  const files = new Map(
    platforms.flatMap(([, { hashes }]) => Object.entries(hashes).map(([path, hash]) => [hash, path])),
  );
  const write = async ([hash, path]) => {
    const name = `${hash}.br`;
    if (existsSync(join(earlier, name))) await copyFile(join(earlier, name), join(folder, name));
    else await writeCompressed(join(root, path), join(folder, name));
  };
  await Promise.all([...files].map(write));
}

/** Writes a file as Brotli. A higher quality takes eight times as long for a tenth less. */
export async function writeCompressed(source, target) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  await writeFile(target, await compress(await readFile(source), { params }));
}

const compress = promisify(brotliCompress);

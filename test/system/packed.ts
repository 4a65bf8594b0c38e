/** Packs the program as npm does, and installs it in temporary folders. */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { root } from "../cli/program.ts";

export interface Packed {
  readonly file: string;
  /** The paths of the packed files. */
  readonly paths: readonly string[];
}

/** Creates an empty temporary folder. */
export async function createTempFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "playtest-pack-"));
}

/** Packs the program that was built before. */
export async function pack(): Promise<Packed> {
  const folder = await createTempFolder();
  // The build script is skipped, because it would replace files that other tests are using.
  const argv = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await execa("npm", argv, { cwd: root });
  const packed = JSON.parse(stdout) as Record<string, { filename: string; files: { path: string }[] }>;
  const [entry] = Object.values(packed);
  if (!entry) throw new Error("npm pack returned no tarball");
  return { file: join(folder, entry.filename), paths: entry.files.map(({ path }) => path) };
}

/** Installs the tarball with these flags of npm, and returns the prefix of the installation. */
export async function install({ file }: Packed, ...flags: string[]): Promise<string> {
  const prefix = await createTempFolder();
  await execa("npm", ["install", "--prefix", prefix, ...flags, file], { cwd: prefix });
  return prefix;
}

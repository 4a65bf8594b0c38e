/** The packed tarball, and places it is installed in. */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { root } from "../cli/program.ts";

export interface Packed {
  readonly file: string;
  /** The paths in it. */
  readonly paths: readonly string[];
}

export async function freshPlace(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "playtest-pack-"));
}

/** Packs the program as it is built. */
export async function pack(): Promise<Packed> {
  const folder = await freshPlace();
  // The program was built already, and building it again would pull it from under the other tests.
  const argv = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await execa("npm", argv, { cwd: root });
  const packed = JSON.parse(stdout) as Record<string, { filename: string; files: { path: string }[] }>;
  const [entry] = Object.values(packed);
  if (!entry) throw new Error("npm pack told of no tarball");
  return { file: join(folder, entry.filename), paths: entry.files.map(({ path }) => path) };
}

/** Installs it under a prefix of its own, and answers the prefix. */
export async function install({ file }: Packed, ...flags: string[]): Promise<string> {
  const prefix = await freshPlace();
  await execa("npm", ["install", "--prefix", prefix, ...flags, file], { cwd: prefix });
  return prefix;
}

/** What the files of the built program contain, by the metafile of esbuild. */
import { join } from "node:path";
import { execa } from "execa";

const root = join(import.meta.dirname, "..", "..");

export type Outputs = Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;

/** Bundles the program in a process of its own, because Vitest would transform the large modules that the build imports. */
export async function bundleOutputs(): Promise<Outputs> {
  const script = `
    import { bundleProgram } from "./scripts/bundle.mjs";
    const { outputs } = await bundleProgram();
    process.stdout.write(JSON.stringify(outputs));`;
  const { stdout } = await execa(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
  return JSON.parse(stdout) as Outputs;
}

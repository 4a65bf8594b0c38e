/** Programs that tests need in addition to Node. */
import { execa } from "execa";

/** Throws if a program is missing, because a skipped test looks like a passed test. */
export async function requireProgram(program: string, debianPackage: string): Promise<void> {
  const { failed } = await execa("sh", ["-c", 'command -v "$0"', program], { reject: false });
  if (failed) throw new Error(`These tests need ${program}. Install it: apt-get install ${debianPackage}`);
}

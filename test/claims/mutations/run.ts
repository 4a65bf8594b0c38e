/**
 * `npm run test:mutations`: breaks one line of the analysis at a time and checks generated play with it. The checker must
 * find a false claim for each mutation. Runs in a temporary copy of the sources; takes a few minutes.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { type Mutation, mutations } from "./mutations.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const ANALYSIS = join("src", "server", "analysis");

/** Copies what the checker needs. */
function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), "playtest-mutations-"));
  for (const name of ["src", "test", "package.json", "tsconfig.json"]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Runs the checker in a copy, and returns its falsehoods. Fails if the checker does not finish. */
async function findFalsehoods(copy: string): Promise<string[]> {
  const { stdout, stderr } = await execa(
    join(copy, "node_modules", ".bin", "tsx"),
    [join("test", "claims", "check-files.ts"), "generated"],
    { cwd: copy, reject: false },
  );
  const lines = stdout.split("\n");
  if (!lines.at(-1)?.startsWith("Total: ")) throw new Error(`The checker did not finish: ${stderr}`);
  return lines.slice(0, -2);
}

/** Applies a mutation, runs the checker, and restores the file. */
async function findFalsehoodsOf({ file, find, replace }: Mutation, copy: string): Promise<string[]> {
  const path = join(copy, ANALYSIS, file);
  const source = readFileSync(path, "utf8");
  if (source.split(find).length !== 2) throw new Error(`${file} does not contain "${find}" exactly once`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    return await findFalsehoods(copy);
  } finally {
    writeFileSync(path, source);
  }
}

async function main(): Promise<number> {
  const copy = copySources();
  try {
    const known = await findFalsehoods(copy);
    for (const line of known) console.log(`Without a mutation: ${line}`);
    let missed = 0;
    for (const mutation of mutations) {
      const label = `${mutation.file}: ${mutation.breaks}`;
      try {
        const found = (await findFalsehoodsOf(mutation, copy)).filter((line) => !known.includes(line));
        if (found.length === 0) missed++;
        console.log(
          found.length === 0
            ? `MISSED ${label}`
            : `found ${label}: ${found.length} falsehoods, such as\n  ${found[0]}`,
        );
      } catch (error) {
        missed++;
        console.log(`FAILED ${label}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    console.log(`Total: ${mutations.length} mutations, ${mutations.length - missed} found`);
    return missed > 0 || known.length > 0 ? 1 : 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

process.exitCode = await main();

/** The build of scripted runs: by default, the commit of the CI job or of the working copy. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fail } from "../../errors.ts";
import type { Io } from "../../io.ts";

/** The length of an abbreviated commit. */
const COMMIT_LENGTH = 12;

/** Finds the version of the build. Throws `usage` outside of a working copy. */
export async function findRunBuild({ env, cwd }: Io, given: string | undefined): Promise<string> {
  const named = given ?? env.PLAYTEST_BUILD;
  if (named) return named;
  const commit = env.GITHUB_SHA || env.CI_COMMIT_SHA || env.GIT_COMMIT;
  if (commit) return commit.slice(0, COMMIT_LENGTH);
  // Two different states of the files must not count as one build.
  const args = ["describe", "--always", "--dirty", `--abbrev=${COMMIT_LENGTH}`, "--exclude=*"];
  const { stdout } = await promisify(execFile)("git", args, { cwd }).catch(() => ({ stdout: "" }));
  if (stdout.trim() !== "") return stdout.trim();
  throw fail("usage", {
    message: `No build specified, and ${cwd} is not a Git working copy`,
    hint: "Use --build-version or PLAYTEST_BUILD.",
  });
}

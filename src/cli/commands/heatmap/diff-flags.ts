/** The two builds of heatmap --diff. */
import { fail } from "../../errors.ts";

/** Throws `usage` where there is no second build to compare with, or it is the same. */
export function checkDiffFlags(diff: string | undefined, build: string | undefined): void {
  if (diff === undefined || (build !== undefined && build !== diff)) return;
  throw fail("usage", {
    message:
      build === undefined
        ? `--diff ${JSON.stringify(diff)} needs --build, the build that is compared with it`
        : `--diff and --build are both ${JSON.stringify(diff)}`,
    hint: "--build 0.9.0 --diff 0.8.0 shows what changed from 0.8.0 to 0.9.0.",
  });
}

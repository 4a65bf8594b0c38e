/** The two builds of heatmap --diff. */
import { fail } from "../../errors.ts";

/** Throws `usage` for --diff without --build, with the same build, or with --marks. */
export function checkDiffFlags(
  diff: string | undefined,
  build: string | undefined,
  marks: string | undefined,
): void {
  if (diff !== undefined && marks !== undefined) {
    throw fail("usage", {
      message: `--marks ${marks} cannot be used with --diff`,
      hint: "Marks belong to one build. Draw each build by itself with --build.",
    });
  }
  if (diff === undefined || (build !== undefined && build !== diff)) return;
  throw fail("usage", {
    message:
      build === undefined
        ? `--diff ${JSON.stringify(diff)} requires --build, the build to compare with it`
        : `--diff and --build are both ${JSON.stringify(diff)}`,
    hint: "For example, --build 0.9.0 --diff 0.8.0 shows the changes from 0.8.0 to 0.9.0.",
  });
}

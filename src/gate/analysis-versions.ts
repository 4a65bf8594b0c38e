/** Compares builds only if the same version of the rules analyzed them: another version finds other friction. */
import type { GateBuild } from "./build-comparison.ts";

type AnalyzedBuild = Pick<GateBuild, "version" | "analysisVersions">;

/** Why the analyses of two builds cannot be compared; empty if they can, or if the service reports no versions. */
export function explainAnalysisVersions(a: AnalyzedBuild, b: AnalyzedBuild): string[] {
  if (b.analysisVersions === null) return [];
  if (a.analysisVersions === null) {
    return [
      `the baseline ${a.version} was saved without the version of the rules that analyzed it: save it again`,
    ];
  }
  const difference = describeDifferentAnalyses(a.analysisVersions, b.analysisVersions);
  return difference === null
    ? []
    : [`${difference}: wait until the older analyses are redone, or save the baseline again`];
}

/** Says that several versions of the rules analyzed the sessions of two builds; null if only one did. */
export function describeDifferentAnalyses(a: readonly number[], b: readonly number[]): string | null {
  const versions = [...new Set([...a, ...b])].sort((x, y) => x - y);
  if (versions.length <= 1) return null;
  const list = `${versions.slice(0, -1).join(", ")} and ${versions.at(-1)}`;
  return `the sessions were analyzed with different versions of the rules (${list})`;
}

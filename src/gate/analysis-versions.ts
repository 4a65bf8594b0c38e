/** Compares builds only if the same version of the rules analyzed them: another version finds other friction. */
import { listFactsVersions } from "../scorecard/analysis-versions.ts";

/** Says that versions of the rules with different findings analyzed the sessions of two builds; null if none did. */
export function describeDifferentAnalyses(a: readonly number[], b: readonly number[]): string | null {
  const versions = listFactsVersions([...a, ...b]);
  if (versions.length <= 1) return null;
  const list = `${versions.slice(0, -1).join(", ")} and ${versions.at(-1)}`;
  return `the sessions were analyzed with different versions of the rules (${list})`;
}

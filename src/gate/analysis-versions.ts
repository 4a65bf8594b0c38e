/** Compares builds only if the same version of the rules analyzed them: another version finds other friction. */

/** Says that several versions of the rules analyzed the sessions of two builds; null if only one did. */
export function describeDifferentAnalyses(a: readonly number[], b: readonly number[]): string | null {
  const versions = [...new Set([...a, ...b])].sort((x, y) => x - y);
  if (versions.length <= 1) return null;
  const list = `${versions.slice(0, -1).join(", ")} and ${versions.at(-1)}`;
  return `the sessions were analyzed with different versions of the rules (${list})`;
}

/** Which versions of the analysis rules find the same facts, so that what they found can be compared. */

/** Versions that only changed titles, or what they find in new events, each with the earlier version that finds the same facts. */
export const SAME_FACTS: Readonly<Record<number, number>> = { 4: 3, 6: 5, 7: 5 };

/** Whether another version of the rules finds the same facts as a current one. */
export const findsSameFacts = (version: number | null, current: number): boolean =>
  version !== null && listFactsVersions([version, current]).length === 1;

/** The versions, in order, that found different facts. Versions that this program does not know count as different. */
export const listFactsVersions = (versions: readonly number[]): number[] =>
  [...new Set(versions.map((version) => SAME_FACTS[version] ?? version))].sort((x, y) => x - y);

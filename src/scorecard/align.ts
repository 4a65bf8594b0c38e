/** Finds the testers who are in both groups. */
import type { GroupFacts, TesterFacts } from "./facts.ts";

/** The testers of two groups. Testers without an id are in one group only. */
export interface AlignedTesters {
  readonly onlyA: readonly TesterFacts[];
  readonly onlyB: readonly TesterFacts[];
  /** What each tester of both groups did in a, and in b. */
  readonly both: readonly (readonly [TesterFacts, TesterFacts])[];
}

export function alignTesters(a: GroupFacts, b: GroupFacts): AlignedTesters {
  const byId = new Map<string, TesterFacts>();
  for (const one of a.testers) if (one.tester !== null) byId.set(one.tester, one);
  const both: [TesterFacts, TesterFacts][] = [];
  const known = new Set<TesterFacts>();
  for (const one of b.testers) {
    const other = one.tester === null ? undefined : byId.get(one.tester);
    if (other === undefined) continue;
    both.push([other, one]);
    known.add(other).add(one);
  }
  const isAlone = (tester: TesterFacts) => !known.has(tester);
  return { onlyA: a.testers.filter(isAlone), onlyB: b.testers.filter(isAlone), both };
}

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
  const byId = new Map(a.testers.flatMap((one) => (one.tester === null ? [] : [[one.tester, one] as const])));
  const both = b.testers.flatMap((one) => {
    const other = one.tester === null ? undefined : byId.get(one.tester);
    return other === undefined ? [] : [[other, one] as const];
  });
  const known = new Set(both.flat());
  const isAlone = (tester: TesterFacts) => !known.has(tester);
  return { onlyA: a.testers.filter(isAlone), onlyB: b.testers.filter(isAlone), both };
}

/** Computes the scorecard of two groups of testers. It has no side effects, and the same facts always give the same rows. */
import { type RowTest, type TestFamily, testFamilies } from "../statistics/family.ts";
import { splitValues } from "../statistics/row-tests.ts";
import { runSteps, type Steps } from "../statistics/steps.ts";
import { alignTesters } from "./align.ts";
import { type ComparedTesters, compareTesters } from "./compared-testers.ts";
import { type Comparison, type Draft, draftRows, listB } from "./drafts.ts";
import type { GroupFacts } from "./facts.ts";
import { createRowTest, finishDraft } from "./finish-row.ts";
import { matchPlay } from "./match-play.ts";
import { type Family, METRICS, type Metric } from "./metrics.ts";
import { type NewRoomOptions, testNewRoom } from "./new-rooms.ts";
import type { ScorecardRow } from "./rows.ts";
import { readScope } from "./scope.ts";

export interface ScorecardOptions {
  /** The probability with which equal groups may get any `worse`, or any `better`, among the deciding families. */
  readonly level: number;
  /** The families that decide, which share the level. All others are tested at the level, and do not decide. */
  readonly families: readonly Family[];
  /** The largest change for the worse of a metric that does not matter, in the unit of its rows. */
  readonly limits: Partial<Readonly<Record<Metric["name"], number>>>;
  readonly newRooms: NewRoomOptions;
  /** The number of random divisions. Default: 4000, or 1000 of more than 4000 testers. */
  readonly divisions?: number;
}

/** The number of random divisions, which is lower for many testers, because each takes longer. */
const DIVISIONS = { few: 4000, many: 1000, manyTesters: 4000 };

/** What two groups of testers did, compared. */
export interface Scorecard {
  readonly testers: ComparedTesters;
  readonly rows: readonly ScorecardRow[];
}

/** Computes the scorecard of two groups at once. */
export const computeScorecard = (a: GroupFacts, b: GroupFacts, options: ScorecardOptions): Scorecard =>
  runSteps(computeScorecardInSteps(a, b, options));

/** Computes the scorecard of two groups, in steps of a few milliseconds. */
export function* computeScorecardInSteps(
  a: GroupFacts,
  b: GroupFacts,
  options: ScorecardOptions,
): Steps<Scorecard> {
  const comparison = yield* prepare(a, b, options);
  const families = new Map<string, Draft[]>();
  for (const metric of METRICS) {
    const key = metric.decides ? metric.family : metric.name;
    families.set(key, [...(families.get(key) ?? []), ...(yield* draftRows(metric, comparison))]);
  }
  const rows = yield* testDrafts([...families.values()], comparison, options);
  return { testers: comparison.testers, rows };
}

function* prepare(a: GroupFacts, b: GroupFacts, { newRooms }: ScorecardOptions): Steps<Comparison> {
  const aligned = alignTesters(a, b);
  yield;
  const matched = yield* matchPlay(aligned);
  const { onlyA, onlyB, both } = aligned;
  return {
    newRooms,
    groups: { a, b },
    testers: compareTesters(aligned),
    sizes: { onlyA: onlyA.length, onlyB: onlyB.length, both: both.length },
    records: [...onlyA, ...onlyB, ...both.flat()].map((tester) => ({
      tester,
      matched: matched.get(tester) ?? [],
    })),
    scope: yield* readScope(a, b),
  };
}

/** Tests the rows of each family together. */
function* testDrafts(
  families: readonly (readonly Draft[])[],
  comparison: Comparison,
  options: ScorecardOptions,
): Steps<ScorecardRow[]> {
  const { sizes } = comparison;
  const prepared: PreparedFamily[] = [];
  for (const drafts of families) prepared.push(yield* prepareFamily(drafts, comparison, options));
  const { onlyA, onlyB, both } = sizes;
  const fewest = onlyA + onlyB + both > DIVISIONS.manyTesters ? DIVISIONS.many : DIVISIONS.few;
  const { divisions = fewest } = options;
  const tested = yield* testFamilies(sizes, prepared, divisions);
  const rows: ScorecardRow[] = [];
  for (const [at, family] of prepared.entries()) {
    const results = tested[at];
    if (results === undefined) continue;
    for (const draft of family.drafts) {
      const order = (draft.isNewRoom ? family.fresh : family.comparable).indexOf(draft);
      const limit = draft.isNewRoom ? options.newRooms.max : (options.limits[draft.metric.name] ?? null);
      rows.push(finishDraft(draft, order, { sizes, tested: results, level: family.level, limit }));
      yield;
    }
  }
  return rows;
}

/** The rows of a family, those that are tested against a, and those that are tested alone. */
interface PreparedFamily extends TestFamily {
  readonly drafts: readonly Draft[];
  readonly comparable: readonly Draft[];
  readonly fresh: readonly Draft[];
}

function* prepareFamily(
  drafts: readonly Draft[],
  { sizes }: Comparison,
  { level, families, newRooms }: ScorecardOptions,
): Steps<PreparedFamily> {
  const metric = drafts[0]?.metric;
  const isDeciding = metric?.decides === true && families.includes(metric.family);
  const comparable = drafts.filter(({ reason, isNewRoom }) => reason === null && !isNewRoom);
  const fresh = drafts.filter(({ reason, isNewRoom }) => reason === null && isNewRoom);
  const rows: RowTest[] = [];
  for (const { metric: own, values } of comparable) {
    rows.push(createRowTest(own, sizes, values));
    yield;
  }
  const fixed = fresh.map(({ values }) => testNewRoom(listB(splitValues(sizes, values)), newRooms));
  return { drafts, comparable, fresh, rows, fixed, level: isDeciding ? level / families.length : level };
}

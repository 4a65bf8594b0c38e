/** Computes the scorecard of two groups of testers. It has no side effects, and the same facts always give the same rows. */

import { mean, sum } from "../statistics/averages.ts";
import { type RowTest, type TestedRows, type TestFamily, testFamilies } from "../statistics/family.ts";
import { estimateMeanDifference } from "../statistics/mean-range.ts";
import type { GroupSizes } from "../statistics/relabel.ts";
import {
  countShares,
  createMeanTest,
  createShareTest,
  type SplitValues,
  splitValues,
} from "../statistics/row-tests.ts";
import { estimateShareDifference } from "../statistics/share-range.ts";
import { runSteps, type Steps } from "../statistics/steps.ts";
import { alignTesters } from "./align.ts";
import { type Comparison, type Draft, draftRows, listA, listB } from "./drafts.ts";
import type { GroupFacts } from "./facts.ts";
import { matchPlay } from "./match-play.ts";
import { type Family, METRICS, type Metric } from "./metrics.ts";
import { type NewRoomOptions, testNewRoom } from "./new-rooms.ts";
import { agreeWithTest, decideStatus, type RowSide, type ScorecardRow } from "./rows.ts";
import { readScope } from "./scope.ts";

export interface ScorecardOptions {
  /** The probability with which equal groups may get any `worse`, or any `better`, among the deciding families. */
  readonly level: number;
  /** The families that decide, which share the level. All others are tested at the level, and do not decide. */
  readonly families: readonly Family[];
  /** The largest change for the worse of a metric that does not matter, in the unit of its rows. */
  readonly limits: Partial<Readonly<Record<Metric["name"], number>>>;
  readonly newRooms: NewRoomOptions;
}

/** The number of random divisions, which is lower for many testers, because each takes longer. */
const DIVISIONS = { few: 4000, many: 1000, manyTesters: 4000 };

/** What two groups of testers did, compared. */
export interface Scorecard {
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
  return { rows: yield* testDrafts([...families.values()], comparison, options) };
}

function* prepare(a: GroupFacts, b: GroupFacts, { newRooms }: ScorecardOptions): Steps<Comparison> {
  const aligned = alignTesters(a, b);
  yield;
  const matched = yield* matchPlay(aligned);
  const { onlyA, onlyB, both } = aligned;
  return {
    newRooms,
    groups: { a, b },
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
  const divisions = onlyA + onlyB + both > DIVISIONS.manyTesters ? DIVISIONS.many : DIVISIONS.few;
  const tested = yield* testFamilies(sizes, prepared, divisions);
  const rows: ScorecardRow[] = [];
  for (const [at, family] of prepared.entries()) {
    const results = tested[at];
    if (results === undefined) continue;
    for (const draft of family.drafts) {
      rows.push(finishDraft(draft, family, results, sizes, options));
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
    rows.push(own.unit === "share" ? createShareTest(sizes, values) : createMeanTest(sizes, values));
    yield;
  }
  const fixed = fresh.map(({ values }) => testNewRoom(listB(splitValues(sizes, values)), newRooms));
  return { drafts, comparable, fresh, rows, fixed, level: isDeciding ? level / families.length : level };
}

function finishDraft(
  draft: Draft,
  { comparable, fresh, level }: PreparedFamily,
  tested: TestedRows,
  sizes: GroupSizes,
  { limits }: ScorecardOptions,
): ScorecardRow {
  const split = splitValues(sizes, draft.values);
  const base = describeDraft(draft, split);
  if (draft.reason !== null) return { ...base, status: "not comparable", reason: draft.reason };
  if (draft.isNewRoom) {
    const adjustedPValue = tested.fixed[fresh.indexOf(draft)] ?? 1;
    return { ...base, status: adjustedPValue <= level ? "worse" : "unclear", adjustedPValue };
  }
  const limit = limits[draft.metric.name] ?? null;
  return finishRow(base, split, tested, comparable.indexOf(draft), { level, limit });
}

function finishRow(
  base: ScorecardRow,
  split: SplitValues,
  tested: TestedRows,
  at: number,
  { level, limit }: { readonly level: number; readonly limit: number | null },
): ScorecardRow {
  const [isMore, isFewer] = [
    (tested.more.adjusted[at] ?? 1) <= level,
    (tested.fewer.adjusted[at] ?? 1) <= level,
  ];
  const confidence = 1 - tested.more.critical - tested.fewer.critical;
  const estimate =
    base.unit === "share"
      ? estimateShareDifference(countShares(split), confidence)
      : estimateMeanDifference(split, confidence);
  const range = agreeWithTest(estimate, isMore, isFewer);
  const direction = estimate.value >= 0 ? tested.more : tested.fewer;
  return {
    ...base,
    status: decideStatus({ worse: base.worse, isMore, isFewer, range, limit }),
    difference: estimate.value,
    range,
    pValue: direction.pValues[at] ?? null,
    adjustedPValue: direction.adjusted[at] ?? null,
  };
}

function describeDraft({ metric, subject, room, isNewRoom }: Draft, split: SplitValues): ScorecardRow {
  const { name, family, worse, unit, decides } = metric;
  return {
    metric: subject === null ? name : `${name}:${subject}`,
    name,
    subject,
    room,
    family,
    worse,
    unit,
    decides,
    status: "unclear",
    reason: null,
    isNewRoom,
    a: describeSide(listA(split), unit),
    b: describeSide(listB(split), unit),
    paired: split.pairs.length,
    difference: null,
    range: null,
    pValue: null,
    adjustedPValue: null,
  };
}

const describeSide = (values: readonly number[], unit: Metric["unit"]): RowSide => ({
  total: values.length,
  count: unit === "share" ? sum(values) : null,
  value: values.length === 0 ? null : mean(values),
});

/** Computes the scorecard of two groups of testers. It has no side effects, and the same facts always give the same rows. */
import { binomialTail } from "../statistics/binomial.ts";
import { type FixedTest, type TestedRows, testFamily } from "../statistics/family.ts";
import { estimateMeanDifference } from "../statistics/mean-range.ts";
import type { GroupSizes } from "../statistics/relabel.ts";
import {
  countShares,
  createMeanTest,
  createShareTest,
  type RowValues,
  type ShareCounts,
} from "../statistics/row-tests.ts";
import { estimateShareDifference } from "../statistics/share-range.ts";
import type { GroupFacts, SessionFacts, TesterFacts } from "./facts.ts";
import { matchPlay } from "./match-play.ts";
import { type Family, METRICS, type Measure, type Metric } from "./metrics.ts";
import { judgeNewRoom, type NewRoomOptions } from "./new-rooms.ts";
import { agreeWithTest, decideStatus, type NotComparable, type RowSide, type ScorecardRow } from "./rows.ts";
import { hasTimedSessions } from "./timed-sessions.ts";

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

/** The testers of both groups, one entry for each record of `GroupSizes`. */
interface Aligned {
  readonly sizes: GroupSizes;
  readonly records: readonly { readonly tester: TesterFacts; readonly matched: readonly SessionFacts[] }[];
}

/** A row before its test. */
interface Draft {
  readonly metric: Metric;
  readonly measure: Measure;
  readonly values: RowValues;
  readonly isNewRoom: boolean;
  readonly reason: NotComparable | null;
}

export function computeScorecard(a: GroupFacts, b: GroupFacts, options: ScorecardOptions): ScorecardRow[] {
  const aligned = align(a, b);
  const drafts = METRICS.flatMap((metric) => draftRows(metric, [a, b], aligned, options));
  const keyOf = ({ metric }: Draft) => (metric.decides ? metric.family : metric.name);
  return [...new Set(drafts.map(keyOf))].flatMap((key) =>
    testDrafts(
      drafts.filter((draft) => keyOf(draft) === key),
      aligned,
      options,
    ),
  );
}

/** Puts the testers of both groups in the order of the records. */
function align(a: GroupFacts, b: GroupFacts): Aligned {
  const matched = matchPlay(a.testers, b.testers);
  const cuts = new Map([...matched.a, ...matched.b].map(({ tester, sessions }) => [tester, sessions]));
  const byId = new Map(a.testers.flatMap((one) => (one.tester === null ? [] : [[one.tester, one] as const])));
  const pairs = b.testers.flatMap((one) => {
    const other = one.tester === null ? undefined : byId.get(one.tester);
    return other === undefined ? [] : [[other, one] as const];
  });
  const paired = new Set(pairs.flat());
  const [onlyA, onlyB] = [a, b].map(({ testers }) => testers.filter((one) => !paired.has(one))) as [
    TesterFacts[],
    TesterFacts[],
  ];
  const testers = [...onlyA, ...onlyB, ...pairs.flat()];
  return {
    sizes: { onlyA: onlyA.length, onlyB: onlyB.length, both: pairs.length },
    records: testers.map((tester) => ({ tester, matched: cuts.get(tester) ?? [] })),
  };
}

function draftRows(
  metric: Metric,
  groups: readonly GroupFacts[],
  { records, sizes }: Aligned,
  { newRooms }: ScorecardOptions,
): Draft[] {
  const isTimed = metric.name === "quit" && groups.some(hasTimedSessions);
  return metric.listRows(groups).map((measure) => {
    const measured = records.map(({ tester, matched }) =>
      measure.measure(metric.needsEqualPlay ? matched : tester.sessions, tester),
    );
    const [inA, inB] = countGroups(measured, sizes);
    const isNewRoom = measure.room !== null && inA === 0 && inB > 0;
    const isKnown = (at: number) => isNewRoom && newRooms.count === "new" && at >= sizes.onlyA + sizes.onlyB;
    const values = measured.map((value, at) => (isKnown(at) ? null : value));
    const own: NotComparable | null =
      measure.room !== null && inB === 0
        ? "room is gone"
        : inA === 0
          ? "nobody in a"
          : inB === 0
            ? "nobody in b"
            : null;
    const reason = isTimed ? "sessions are timed" : isNewRoom ? judgeNewRoom(measure, groups, newRooms) : own;
    return { metric, measure, values, isNewRoom, reason };
  });
}

const isInB = ({ onlyA, onlyB }: GroupSizes, at: number): boolean =>
  at < onlyA + onlyB ? at >= onlyA : (at - onlyA - onlyB) % 2 === 1;

function countGroups(values: RowValues, sizes: GroupSizes): [number, number] {
  const counts: [number, number] = [0, 0];
  for (const [at, value] of values.entries()) if (value !== null) counts[isInB(sizes, at) ? 1 : 0] += 1;
  return counts;
}

/** Tests the rows of a family together. */
function testDrafts(
  drafts: readonly Draft[],
  { sizes }: Aligned,
  { level, families, limits, newRooms }: ScorecardOptions,
): ScorecardRow[] {
  const [first] = drafts;
  const isDeciding = first?.metric.decides === true && families.includes(first.metric.family);
  const ownLevel = isDeciding ? level / families.length : level;
  const comparable = drafts.filter(({ reason, isNewRoom }) => reason === null && !isNewRoom);
  const fresh = drafts.filter(({ reason, isNewRoom }) => reason === null && isNewRoom);
  const tested = testFamily(
    sizes,
    comparable.map(({ metric, values }) =>
      metric.unit === "share" ? createShareTest(sizes, values) : createMeanTest(sizes, values),
    ),
    fresh.map(({ values }) => testNewRoom(values, newRooms.max)),
    {
      level: ownLevel,
      divisions:
        sizes.onlyA + sizes.onlyB + sizes.both > DIVISIONS.manyTesters ? DIVISIONS.many : DIVISIONS.few,
    },
  );
  return drafts.map((draft) => {
    const base = describeDraft(draft, sizes);
    if (draft.reason !== null) return { ...base, status: "not comparable", reason: draft.reason };
    const limit = limits[draft.metric.name] ?? null;
    if (draft.isNewRoom) return finishNewRoom(base, tested.fixed[fresh.indexOf(draft)] ?? 1, ownLevel);
    return finishRow(base, draft, sizes, tested, comparable.indexOf(draft), { level: ownLevel, limit });
  });
}

function testNewRoom(values: RowValues, max: number): FixedTest {
  const known = values.filter((value) => value !== null);
  const count = known.filter((value) => value === 1).length;
  const attainable = known.map((_, at) => binomialTail(known.length, max, at + 1));
  return { pValue: binomialTail(known.length, max, count), attainable: [1, ...attainable] };
}

function finishNewRoom(base: ScorecardRow, adjustedPValue: number, level: number): ScorecardRow {
  const isWorse = adjustedPValue <= level;
  return { ...base, status: isWorse ? "worse" : "unclear", adjustedPValue };
}

function finishRow(
  base: ScorecardRow,
  { metric, values }: Draft,
  sizes: GroupSizes,
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
    metric.unit === "share"
      ? estimateShareDifference(countShares(sizes, values), confidence)
      : estimateMeanDifference(sizes, values, confidence);
  const range = agreeWithTest(estimate, isMore, isFewer);
  const direction = estimate.value >= 0 ? tested.more : tested.fewer;
  return {
    ...base,
    status: decideStatus({ worse: metric.worse, isMore, isFewer, range, limit }),
    difference: estimate.value,
    range,
    pValue: direction.pValues[at] ?? null,
    adjustedPValue: direction.adjusted[at] ?? null,
  };
}

function describeDraft({ metric, measure, values, isNewRoom }: Draft, sizes: GroupSizes): ScorecardRow {
  const { name, family, worse, unit, decides } = metric;
  const { subject, room } = measure;
  const counts: ShareCounts | null = unit === "share" ? countShares(sizes, values) : null;
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
    a: describeSide(sizes, values, false, unit),
    b: describeSide(sizes, values, true, unit),
    paired: counts === null ? 0 : Object.values(counts.pairs).reduce((sum, count) => sum + count, 0),
    difference: null,
    range: null,
    pValue: null,
    adjustedPValue: null,
  };
}

function describeSide(sizes: GroupSizes, values: RowValues, ofB: boolean, unit: Metric["unit"]): RowSide {
  const own = values.filter((value, at) => value !== null && isInB(sizes, at) === ofB) as number[];
  const total = own.reduce((sum, value) => sum + value, 0);
  return {
    total: own.length,
    count: unit === "share" ? total : null,
    value: own.length === 0 ? null : total / own.length,
  };
}

/** Computes the scorecard of two groups of testers. It has no side effects, and the same facts always give the same rows. */
import { mean, sum } from "../statistics/averages.ts";
import { type TestedRows, testFamily } from "../statistics/family.ts";
import { estimateMeanDifference } from "../statistics/mean-range.ts";
import type { GroupSizes } from "../statistics/relabel.ts";
import {
  countShares,
  createMeanTest,
  createShareTest,
  type RowValues,
  type SplitValues,
  splitValues,
} from "../statistics/row-tests.ts";
import { estimateShareDifference } from "../statistics/share-range.ts";
import { alignTesters } from "./align.ts";
import type { GroupFacts, SessionFacts, TesterFacts } from "./facts.ts";
import { matchPlay } from "./match-play.ts";
import { type Family, METRICS, type Measure, type Metric, roomsOf } from "./metrics.ts";
import { judgeNewRoom, type NewRoomOptions, testNewRoom } from "./new-rooms.ts";
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

/** What all rows are computed from. */
interface Comparison {
  readonly options: ScorecardOptions;
  readonly groups: { readonly a: GroupFacts; readonly b: GroupFacts };
  readonly sizes: GroupSizes;
  /** The testers of both groups, one entry for each record of `GroupSizes`, and their equally long play. */
  readonly records: readonly { readonly tester: TesterFacts; readonly matched: readonly SessionFacts[] }[];
  /** The rooms that the testers of each group entered. */
  readonly rooms: { readonly a: ReadonlySet<string>; readonly b: ReadonlySet<string> };
}

/** A row before its test. */
interface Draft {
  readonly metric: Metric;
  readonly measure: Measure;
  readonly values: RowValues;
  readonly split: SplitValues;
  readonly isNewRoom: boolean;
  readonly reason: NotComparable | null;
}

/** What two groups of testers did, compared. */
export interface Scorecard {
  readonly rows: readonly ScorecardRow[];
}

export function computeScorecard(a: GroupFacts, b: GroupFacts, options: ScorecardOptions): Scorecard {
  const comparison = prepare(a, b, options);
  const drafts = METRICS.flatMap((metric) => draftRows(metric, comparison));
  const keyOf = ({ metric }: Draft) => (metric.decides ? metric.family : metric.name);
  const rows = [...new Set(drafts.map(keyOf))].flatMap((key) =>
    testDrafts(
      drafts.filter((draft) => keyOf(draft) === key),
      comparison,
    ),
  );
  return { rows };
}

function prepare(a: GroupFacts, b: GroupFacts, options: ScorecardOptions): Comparison {
  const aligned = alignTesters(a, b);
  const matched = matchPlay(aligned);
  const { onlyA, onlyB, both } = aligned;
  return {
    options,
    groups: { a, b },
    sizes: { onlyA: onlyA.length, onlyB: onlyB.length, both: both.length },
    records: [...onlyA, ...onlyB, ...both.flat()].map((tester) => ({
      tester,
      matched: matched.get(tester) ?? [],
    })),
    rooms: { a: new Set(roomsOf([a])), b: new Set(roomsOf([b])) },
  };
}

function draftRows(metric: Metric, comparison: Comparison): Draft[] {
  const { groups, sizes, records, rooms, options } = comparison;
  const both = [groups.a, groups.b];
  const isTimed = metric.name === "quit" && both.some(hasTimedSessions);
  return metric.listRows(both).map((measure) => {
    const { room } = measure;
    const isNewRoom = metric.worse === "more" && room !== null && !rooms.a.has(room) && rooms.b.has(room);
    const isLeftOut = (at: number) =>
      isNewRoom && options.newRooms.count === "new" && at >= sizes.onlyA + sizes.onlyB;
    const values = records.map(({ tester, matched }, at) =>
      isLeftOut(at) ? null : measure.measure(metric.needsEqualPlay ? matched : tester.sessions, tester),
    );
    const split = splitValues(sizes, values);
    const reason = isTimed
      ? "sessions are timed"
      : isNewRoom
        ? judgeNewRoom(room, listB(split).length, groups)
        : findReason(room, split, rooms);
    return { metric, measure, values, split, isNewRoom, reason };
  });
}

/** Why a row has nothing to compare; null if it has. */
function findReason(
  room: string | null,
  split: SplitValues,
  rooms: Comparison["rooms"],
): NotComparable | null {
  if (room !== null && !rooms.b.has(room)) return "room is gone";
  if (listA(split).length === 0) return "nobody in a";
  return listB(split).length === 0 ? "nobody in b" : null;
}

const listA = ({ a, pairs }: SplitValues) => [...a, ...pairs.map(([inA]) => inA)];
const listB = ({ b, pairs }: SplitValues) => [...b, ...pairs.map(([, inB]) => inB)];

/** Tests the rows of a family together. */
function testDrafts(drafts: readonly Draft[], { sizes, options }: Comparison): ScorecardRow[] {
  const { level, families, limits, newRooms } = options;
  const [first] = drafts;
  const isDeciding = first?.metric.decides === true && families.includes(first.metric.family);
  const ownLevel = isDeciding ? level / families.length : level;
  const comparable = drafts.filter(({ reason, isNewRoom }) => reason === null && !isNewRoom);
  const fresh = drafts.filter(({ reason, isNewRoom }) => reason === null && isNewRoom);
  const { onlyA, onlyB, both } = sizes;
  const tested = testFamily(
    sizes,
    comparable.map(({ metric, values }) =>
      metric.unit === "share" ? createShareTest(sizes, values) : createMeanTest(sizes, values),
    ),
    fresh.map(({ split }) => testNewRoom(listB(split), newRooms)),
    {
      level: ownLevel,
      divisions: onlyA + onlyB + both > DIVISIONS.manyTesters ? DIVISIONS.many : DIVISIONS.few,
    },
  );
  return drafts.map((draft) => {
    const base = describeDraft(draft);
    if (draft.reason !== null) return { ...base, status: "not comparable", reason: draft.reason };
    if (draft.isNewRoom) {
      const adjustedPValue = tested.fixed[fresh.indexOf(draft)] ?? 1;
      return { ...base, status: adjustedPValue <= ownLevel ? "worse" : "unclear", adjustedPValue };
    }
    const limit = limits[draft.metric.name] ?? null;
    return finishRow(base, draft, tested, comparable.indexOf(draft), { level: ownLevel, limit });
  });
}

function finishRow(
  base: ScorecardRow,
  { metric, split }: Draft,
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
      ? estimateShareDifference(countShares(split), confidence)
      : estimateMeanDifference(split, confidence);
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

function describeDraft({ metric, measure, split, isNewRoom }: Draft): ScorecardRow {
  const { name, family, worse, unit, decides } = metric;
  const { subject, room } = measure;
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

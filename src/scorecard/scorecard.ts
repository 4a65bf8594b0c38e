/** Computes the scorecard of two groups of testers. It has no side effects, and the same facts always give the same rows. */
import { type TestFamily, testFamilies } from "../statistics/family.ts";
import { createCounters, type ShareCounter } from "../statistics/relabel.ts";
import { countShares } from "../statistics/row-tests.ts";
import { type AlignedTesters, alignTesters } from "./align.ts";
import { type ComparedTesters, compareTesters } from "./compared-testers.ts";
import { type Comparison, type Draft, draftRows, type MeasuredRow, measureMetric } from "./drafts.ts";
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

/** Metrics whose rows were corrected together. */
export interface FamilySummary {
  readonly metrics: readonly Metric["name"][];
  /** Whether the rows share the level of the deciding families. */
  readonly decides: boolean;
  /** The probability of any `worse`, and of any `better`, if the groups do not differ. */
  readonly level: number;
  /** The number of rows that were tested. */
  readonly tested: number;
  /** The largest p-value of a row that is called worse, and of one further row. */
  readonly critical: number;
  readonly criticalOfNew: number;
}

/** What two groups of testers did, compared. */
export interface Scorecard {
  readonly testers: ComparedTesters;
  readonly families: readonly FamilySummary[];
  readonly rows: readonly ScorecardRow[];
}

/** Computes the scorecard of two groups at once. */
export function computeScorecard(a: GroupFacts, b: GroupFacts, options: ScorecardOptions): Scorecard {
  const aligned = alignTesters(a, b);
  const comparison = prepare(aligned, { a, b }, options);
  const measured: MeasuredRow[] = [];
  for (const metric of METRICS) measured.push(...measureMetric(metric, comparison));
  const testers = compareTesters(aligned, measured);
  const families: PreparedFamily[] = [];
  const shareCounter = createCounters();
  for (const metrics of groupMetrics()) {
    const own = measured.filter(({ metric }) => metrics.includes(metric));
    const drafts = draftRows(own, testers.comparesPairsOnly, comparison);
    families.push(prepareFamily(metrics, drafts, comparison, { ...options, shareCounter }));
  }
  return { testers, ...testAll(families, comparison, options) };
}

/** The metrics that are corrected together. Those that decide nothing are tested alone. */
function groupMetrics(): Metric[][] {
  const groups = new Map<string, Metric[]>();
  for (const metric of METRICS) {
    const key = metric.decides ? metric.family : metric.name;
    groups.set(key, [...(groups.get(key) ?? []), metric]);
  }
  return [...groups.values()];
}

function prepare(
  aligned: AlignedTesters,
  groups: Comparison["groups"],
  { newRooms }: ScorecardOptions,
): Comparison {
  const matched = matchPlay(aligned);
  const scope = readScope(groups.a, groups.b);
  const { onlyA, onlyB, both } = aligned;
  return {
    newRooms,
    groups,
    sizes: { onlyA: onlyA.length, onlyB: onlyB.length, both: both.length },
    records: [...onlyA, ...onlyB, ...both.flat()].map((tester) => ({
      tester,
      matched: matched.get(tester) ?? [],
    })),
    scope,
  };
}

/** The rows of a family, those that are tested against a, and those that are tested alone. */
interface PreparedFamily extends TestFamily, Pick<FamilySummary, "metrics" | "decides"> {
  readonly drafts: readonly Draft[];
  readonly comparable: readonly Draft[];
  readonly fresh: readonly Draft[];
}

function prepareFamily(
  metrics: readonly Metric[],
  drafts: readonly Draft[],
  { sizes }: Comparison,
  { level, families, newRooms, shareCounter }: ScorecardOptions & { readonly shareCounter: ShareCounter },
): PreparedFamily {
  const comparable = drafts.filter(({ reason, isNewRoom }) => reason === null && !isNewRoom);
  const fresh = drafts.filter(({ reason, isNewRoom }) => reason === null && isNewRoom);
  const rows = comparable.map(({ metric, values }) => createRowTest(metric, sizes, values, shareCounter));
  const decides = metrics.every(({ decides: may, family }) => may && families.includes(family));
  return {
    metrics: metrics.map(({ name }) => name),
    decides,
    level: decides ? level / families.length : level,
    drafts,
    comparable,
    fresh,
    rows,
    fixed: fresh.map(({ values }) => testNewRoom(countShares(sizes, values), newRooms)),
  };
}

/** Tests all families with the same divisions of the testers. */
function testAll(
  families: readonly PreparedFamily[],
  { sizes }: Comparison,
  options: ScorecardOptions,
): Pick<Scorecard, "families" | "rows"> {
  const { onlyA, onlyB, both } = sizes;
  const fewest = onlyA + onlyB + both > DIVISIONS.manyTesters ? DIVISIONS.many : DIVISIONS.few;
  const results = testFamilies(sizes, families, options.divisions ?? fewest);
  const rows: ScorecardRow[] = [];
  const summaries: FamilySummary[] = [];
  for (const [at, { metrics, decides, level, drafts, comparable, fresh }] of families.entries()) {
    const tested = results[at];
    if (tested === undefined) continue;
    const { criticalOfNew } = tested;
    const count = comparable.length + fresh.length;
    summaries.push({ metrics, decides, level, tested: count, critical: tested.more.critical, criticalOfNew });
    for (const draft of drafts) {
      const order = (draft.isNewRoom ? fresh : comparable).indexOf(draft);
      const limit = draft.isNewRoom ? options.newRooms.max : (options.limits[draft.metric.name] ?? null);
      rows.push(finishDraft(draft, order, { sizes, tested, level, limit }));
    }
  }
  return { families: summaries, rows };
}

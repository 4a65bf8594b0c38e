/** The rows of a scorecard before their tests: who counts in each, with which value, and whether it can be compared. */
import { binomialTail } from "../statistics/binomial.ts";
import type { GroupSizes } from "../statistics/relabel.ts";
import { countPairs, countShares } from "../statistics/row-tests.ts";
import { listFactsVersions } from "./analysis-versions.ts";
import type { GroupFacts, SessionFacts, TesterFacts } from "./facts.ts";
import type { Metric, Subject } from "./metrics.ts";
import { judgeNewRoom, type NewRoomOptions } from "./new-rooms.ts";
import type { NotComparable } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { hasTimedSessions } from "./timed-sessions.ts";

/** What all rows are computed from. */
export interface Comparison {
  readonly newRooms: NewRoomOptions;
  readonly groups: { readonly a: GroupFacts; readonly b: GroupFacts };
  readonly sizes: GroupSizes;
  /** The testers of both groups, one entry for each record of `GroupSizes`, and their equally long play. */
  readonly records: readonly { readonly tester: TesterFacts; readonly matched: readonly SessionFacts[] }[];
  readonly scope: Scope;
}

/** A row of which every tester's value is known. */
export interface MeasuredRow {
  readonly metric: Metric;
  readonly subject: Subject;
  readonly room: string | null;
  readonly isNewRoom: boolean;
  /** The value of each record; NaN for testers who do not count. */
  readonly values: Float64Array;
}

/** A row before its test. */
export interface Draft extends MeasuredRow {
  readonly reason: NotComparable | null;
}

export function measureMetric(metric: Metric, comparison: Comparison): MeasuredRow[] {
  const { scope } = comparison;
  const isNew = (room: string | null) =>
    metric.worse === "more" && room !== null && !scope.rooms.a.has(room) && scope.rooms.b.has(room);
  const rows = measureRows(metric, comparison);
  const subjects = [...rows.keys()];
  const needsAll =
    metric.needsEqualPlay && subjects.some((subject) => isNew(metric.findRoom(subject, scope)));
  // What is judged alone has nothing to be matched with.
  const allPlay = needsAll ? measureRows(metric, comparison, selectAnalyzed) : rows;
  return subjects.map((subject) => {
    const room = metric.findRoom(subject, scope);
    const isNewRoom = isNew(room);
    const values = (isNewRoom ? allPlay : rows).get(subject) ?? new Float64Array();
    return { metric, subject, room, isNewRoom, values };
  });
}

type TesterRecord = Comparison["records"][number];

const selectMatched = ({ matched }: TesterRecord) => matched;
const selectAll = ({ tester }: TesterRecord) => tester.sessions;
const selectAnalyzed = ({ tester }: TesterRecord) => tester.sessions.filter(({ analyzed }) => analyzed);

/** Finds out who counts in some rows, and whether they can be compared. With `pairsOnly`, only testers in both groups count. */
export function draftRows(rows: readonly MeasuredRow[], pairsOnly: boolean, comparison: Comparison): Draft[] {
  const { groups } = comparison;
  const both = [groups.a, groups.b];
  const areTimed = rows.some(({ metric }) => metric.name === "quit") && both.some(hasTimedSessions);
  const drafts: Draft[] = [];
  for (const row of rows) {
    leaveOut(row, pairsOnly, comparison);
    const reason = areReadDifferently(row.metric, groups)
      ? "different analyses"
      : areTimed && row.metric.name === "quit"
        ? "sessions are timed"
        : findReason(row, comparison);
    drafts.push({ ...row, reason });
  }
  return drafts;
}

/** The values of each row of a metric, one for each record; by default of the play that the metric compares. */
export function measureRows(
  metric: Metric,
  { records, scope }: Pick<Comparison, "records" | "scope">,
  selectPlay: (record: TesterRecord) => readonly SessionFacts[] = metric.needsEqualPlay
    ? selectMatched
    : selectAll,
): ReadonlyMap<Subject, Float64Array> {
  const rows = new Map<Subject, Float64Array>();
  for (const subject of metric.listSubjects(scope)) {
    rows.set(subject, new Float64Array(records.length).fill(Number.NaN));
  }
  let at = 0;
  const set = (subject: Subject, value: number) => {
    const values = rows.get(subject);
    if (values !== undefined) values[at] = value;
  };
  for (const record of records) {
    metric.measure({ tester: record.tester, sessions: selectPlay(record) }, set, scope);
    at += 1;
  }
  return rows;
}

/** Leaves out testers who had played a of what is new in b, and testers in one group only if they are not alike. */
function leaveOut(
  { metric, values, isNewRoom, room }: MeasuredRow,
  pairsOnly: boolean,
  { newRooms, sizes }: Comparison,
): void {
  const { onlyA, onlyB } = sizes;
  if (isNewRoom && newRooms.count === "new") values.fill(Number.NaN, onlyA + onlyB);
  if (isNewRoom) return;
  if (pairsOnly) values.fill(Number.NaN, 0, onlyA + onlyB);
  if (room !== null && metric.needsEqualPlay) leaveOutHalves(values, sizes);
}

/** Testers of both groups reached a room in one group more often if chance alone would differ as much with at most this probability. */
const REACHED_LEVEL = 0.15;

/**
 * Leaves out testers of both groups who reached a room in one of them only, if b was easier to reach, or a was: with a saved
 * game that continues, those who reach a late level in b only are weaker than those who had reached it in a.
 */
function leaveOutHalves(values: Float64Array, { onlyA, onlyB }: GroupSizes): void {
  const counts = (at: number) => !Number.isNaN(values[at] ?? Number.NaN);
  const single = onlyA + onlyB;
  const halves: number[] = [];
  for (let at = single; at < values.length; at += 2)
    if (counts(at) !== counts(at + 1)) halves.push(counts(at) ? at : at + 1);
  const inA = halves.filter((at) => (at - single) % 2 === 0).length;
  const more = Math.max(inA, halves.length - inA);
  if (2 * binomialTail(halves.length, 0.5, more) > REACHED_LEVEL) return;
  for (const at of halves) values[at] = Number.NaN;
}

/** Why a row has nothing to compare; null if it has. */
function findReason(
  { room, isNewRoom, values }: MeasuredRow,
  { sizes, scope, groups }: Comparison,
): NotComparable | null {
  const { a, b, ...counts } = countShares(sizes, values);
  const paired = countPairs(counts);
  if (room !== null && isNewRoom) return judgeNewRoom(room, b.total + paired, groups);
  if (room !== null && !scope.rooms.b.has(room)) return "room is gone";
  if (a.total + paired === 0) return "nobody in a";
  return b.total + paired === 0 ? "nobody in b" : null;
}

/** Whether different versions of the rules that find an outcome read the groups. Nothing is known about versions of b that are null. */
function areReadDifferently({ foundBy }: Metric, { a, b }: Comparison["groups"]): boolean {
  if (foundBy === null) return false;
  const key = foundBy === "analysis" ? "analysisVersions" : "outcomeVersions";
  const [inA, inB] = [a[key], b[key]];
  if (inB === null) return false;
  return inA === null || listFactsVersions([...inA, ...inB]).length > 1;
}

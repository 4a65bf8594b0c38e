/** What a scorecard of two builds shows, in the words that the terminal, the console, reports and tools share. */

import { MIN_COMPARED_TESTERS } from "../contract/build-order.ts";
import type { BuildChange } from "../contract/builds.ts";
import { describeWhere } from "../contract/fields.ts";
import type { PairComparison, UnknownFacts } from "../contract/scorecard.ts";
import type { Verdict } from "../contract/verdict.ts";
import type { BuildScorecard, GroupScope } from "../scorecard/build-scorecard.ts";
import { mayDifferByTesters } from "../scorecard/compared-testers.ts";
import { DEFAULT_OPTIONS } from "../scorecard/options.ts";
import type { RowSide, ScorecardRow } from "../scorecard/rows.ts";
import type { Scorecard } from "../scorecard/scorecard.ts";
import {
  describeEntrants,
  formatMean,
  getRowId,
  isWatched,
  type RowWords,
  rankRows,
  type TitledRow,
  titleRow,
} from "../scorecard/titled-rows.ts";
import { describeFailed } from "../shared/failed-analyses.ts";
import { getTagTitle } from "../shared/tags.ts";
import { formatCount } from "../shared/words.ts";
import { sum } from "../statistics/averages.ts";

export interface ScoredBuild {
  readonly version: string;
  /** Distinct testers in the environment. */
  readonly testers: number;
  /** Sessions that have ended, and those of them that are analyzed; null if the service does not report them. */
  readonly ended: number | null;
  readonly analyzed: number | null;
}

export interface ScorecardView {
  readonly game: string;
  readonly environment: string;
  readonly a: ScoredBuild;
  readonly b: ScoredBuild;
  /** Those that matter most come first. */
  readonly rows: readonly TitledRow[];
  /** Whether the service reports what each tester did. Otherwise no row is tested. */
  readonly isTested: boolean;
  /** Null if the rows are not tested. */
  readonly scorecard: BuildScorecard | null;
  /** What limits the comparison, one sentence each. */
  readonly notes: readonly string[];
}

/** What a comparison is shown from. */
export interface Compared extends Pick<PairComparison, "a" | "b" | "changes" | "scorecard"> {
  /** The slug. */
  readonly game: string;
  readonly environment: string;
}

/** Shows what a service says about two builds. `newRooms` are those of the options of the scorecard. */
export const viewComparison = (
  compared: PairComparison,
  newRooms = DEFAULT_OPTIONS.newRooms,
): ScorecardView => compareBuilds({ ...compared, game: compared.game.slug }, newRooms);

/** Compares two builds: by their scorecard, or if there is none, by the changes that the service reports. */
export function compareBuilds(compared: Compared, { count } = DEFAULT_OPTIONS.newRooms): ScorecardView {
  const { game, environment, a, b, changes } = compared;
  const scorecard = typeof compared.scorecard === "string" ? null : compared.scorecard;
  const rows = scorecard?.rows ?? changes.map((change) => toReportedRow(change, a, b));
  const words = { ...readWords(scorecard, changes), newOnly: count === "new" };
  return {
    ...{ game, environment, a: toScoredBuild(a, scorecard?.a), b: toScoredBuild(b, scorecard?.b) },
    rows: rankRows(rows.map((row) => titleRow(row, words))),
    isTested: scorecard !== null,
    scorecard,
    notes: [
      ...(typeof compared.scorecard === "string"
        ? [`${reasons[compared.scorecard]}, so nothing is tested.`]
        : [
            ...describeSessions(compared.scorecard.a, b.version),
            ...describeSessions(compared.scorecard.b, a.version),
          ]),
      ...(scorecard === null ? [] : describeTesters(scorecard)),
      ...(count === "new" && rows.some(({ isNewRoom, reason }) => isNewRoom && reason === null)
        ? [`In rooms that are new in ${b.version}, only testers who had not played ${a.version} count.`]
        : []),
    ],
  };
}

/** The scorecard as JSON. */
export const describeScorecard = ({ scorecard, ...view }: ScorecardView) => ({
  ...view,
  testersCompared: scorecard?.testers ?? null,
});

const reasons: Readonly<Record<UnknownFacts, string>> = {
  unsupported: "This service does not report what each tester did",
  invalid: "The service’s response about what each tester did is invalid",
  forbidden: "This key may not read what each tester did",
  "too-many": "The builds have too many testers to read what each of them did",
};

const readWords = (scorecard: BuildScorecard | null, changes: Compared["changes"]): RowWords => ({
  titles: new Map([
    ...(scorecard?.fields ?? []).map(({ field, label }) => [field, label] as const),
    ...changes.map((change) => [change.tag, getTagTitle(change)] as const),
  ]),
  kinds: new Map(changes.map(({ tag, kind }) => [tag, kind])),
});

function toScoredBuild({ version, testers }: Compared["a"], scope: GroupScope | undefined): ScoredBuild {
  if (scope === undefined) return { version, testers, ended: null, analyzed: null };
  const { analyzed, unanalyzed, failed } = scope.sessions;
  return { version, testers, ended: analyzed + unanalyzed + failed, analyzed };
}

/** A change that the service reports without counts. It is not tested. */
function toReportedRow({ tag, deltaPct }: BuildChange, a: Compared["a"], b: Compared["b"]): ScorecardRow {
  const side = ({ testers }: Compared["a"]) => ({ total: testers, count: null, value: null });
  return {
    ...{ metric: `friction:${tag}`, name: "friction", subject: tag, room: null },
    ...{ family: "friction", worse: "more", unit: "share", decides: true },
    ...{ status: "unclear", reason: null, isNewRoom: false, isRareInA: false, isIntroduced: false },
    ...{ restsOnPractice: false, a: side(a), b: side(b), paired: 0, difference: deltaPct / 100 },
    ...{ limit: null, range: null, noticed: null, pValue: null, adjustedPValue: null },
  };
}

/** Whether b is worse than a, better, both, or neither as far as is known. Inconclusive: too few testers. */
export type ScorecardAnswer = "worse" | "better" | "mixed" | "unclear" | "inconclusive";

export function answerScorecard(view: Omit<ScorecardView, "notes">): ScorecardAnswer {
  if (hasTooFew(view)) return "inconclusive";
  const { worse, better } = countStatuses(view.rows);
  if (worse > 0) return better > 0 ? "mixed" : "worse";
  return better > 0 ? "better" : "unclear";
}

/** Whether a build has too few testers for an answer, as for the gate. */
const hasTooFew = ({ isTested, a, b }: Omit<ScorecardView, "notes">): boolean =>
  isTested && Math.min(a.testers, b.testers) < MIN_COMPARED_TESTERS;

/** Rows that do not decide, such as completed rooms beside quits, would say the same again. */
const countStatuses = (rows: readonly TitledRow[]) => ({
  worse: rows.filter(({ status, decides }) => decides && status === "worse").length,
  better: rows.filter(({ status, decides }) => decides && status === "better").length,
});

/** The answer in one line without its scope, such as `0.9.0 vs 0.8.0: worse in 3 ways, better in 1`. */
export function describeAnswer(view: ScorecardView): string {
  return `${view.b.version} vs ${view.a.version}: ${describeResult(view)}`;
}

function describeResult(view: ScorecardView): string {
  const { rows, a, b, environment, isTested } = view;
  const empty = [a, b].filter(({ testers }) => testers === 0).map(({ version }) => version);
  if (empty.length > 0) {
    const where = environment === "all" ? "any environment" : environment;
    return `nothing to compare, ${empty.join(" and ")} ${empty.length === 1 ? "has" : "have"} no testers in ${where}`;
  }
  if (hasTooFew(view))
    return `too few testers to compare: ${b.testers} and ${a.testers}, ${MIN_COMPARED_TESTERS} needed`;
  const { worse, better } = countStatuses(rows);
  const parts = [
    ...(worse > 0 ? [`worse in ${formatCount(worse, "way")}`] : []),
    ...(better > 0 ? [`better in ${worse > 0 ? better : formatCount(better, "way")}`] : []),
  ];
  if (parts.length > 0) return parts.join(", ");
  if (!isTested) return "not tested";
  return rows.some(({ reason }) => reason === null) ? "no clear difference" : "nothing that can be compared";
}

/** Game, environment and testers, such as `ember · production · 20 → 26 testers`. */
export function describeScope({
  game,
  environment,
  a,
  b,
}: Pick<Verdict, "game" | "environment" | "a" | "b">): string {
  return `${describeWhere(game, environment)} · ${a.testers} → ${b.testers} testers`;
}

/** What is not compared, and what is not known yet: one sentence each. */
function describeSessions({ version, sessions, anonymousSessions }: GroupScope, other: string): string[] {
  const { analyzed, unanalyzed, failed, failure, open, late = 0 } = sessions;
  const received = `received after ${other} was registered and`;
  const say = (count: number, one: string, more: string) =>
    count === 0 ? [] : [`${formatCount(count, "session")} of ${version} ${count === 1 ? one : more}.`];
  return [
    ...(unanalyzed === 0
      ? []
      : [`${unanalyzed} of ${analyzed + unanalyzed + failed} sessions of ${version} are not analyzed yet.`]),
    ...(failed === 0 ? [] : [describeFailed(`${formatCount(failed, "session")} of ${version}`, failure)]),
    ...say(open, "still receives events and is left out", "still receive events and are left out"),
    ...say(late, `was ${received} is left out`, `were ${received} are left out`),
    ...say(anonymousSessions, "has no device ID and is left out", "have no device ID and are left out"),
  ];
}

/** Rows that a sentence names. */
const MAX_NAMED = 3;

function describeTesters({ testers, rows }: Scorecard): string[] {
  const { both, newTesters } = testers;
  const practiced = rows.filter(({ decides, restsOnPractice }) => decides && restsOnPractice).map(getRowId);
  const percent = ({ count, total }: { readonly count: number; readonly total: number }) =>
    `${Math.round((100 * count) / Math.max(1, total))}%`;
  return [
    ...(mayDifferByTesters(testers)
      ? [
          `New testers: ${percent(newTesters.a)} and ${percent(newTesters.b)}. Newcomers alone can look like a change.`,
        ]
      : []),
    ...(testers.comparesPairsOnly
      ? [`Only the ${both} testers of both builds are compared, with themselves.`]
      : []),
    ...(practiced.length === 0
      ? []
      : [
          `Better only for testers of both builds, who have practice: ${practiced.slice(0, MAX_NAMED).join(", ")}.`,
        ]),
  ];
}

/** The value of a build in a row, such as `11/18` or `2.6`; null if nobody counts. */
function formatSide({ count, total, value }: ScorecardRow["a"], unit: ScorecardRow["unit"]): string | null {
  if (value === null) return null;
  if (unit === "share") return `${count}/${total}`;
  return formatMean(value, unit);
}

/** Both sides of a row, such as `1/13 → 11/18`, or the side that is judged alone, such as `14/18 who entered` or `9/10 new testers`. */
export function formatSides(
  { a, b, unit, isNewRoom, newOnly = false }: ScorecardRow & Pick<TitledRow, "newOnly">,
  arrow = "→",
): string {
  const [before, after] = [formatSide(a, unit), formatSide(b, unit)];
  if (isNewRoom) return `${after ?? "0/0"} ${describeEntrants({ newOnly })}`;
  return before === null && after === null ? "" : `${before ?? "nobody"} ${arrow} ${after ?? "nobody"}`;
}

/** The difference with its sign and unit, such as `+53 pts`; null if there is none. */
export function formatDifference({ difference, unit }: ScorecardRow): string | null {
  if (difference === null) return null;
  return `${formatSigned(difference, unit)}${unit === "share" ? " pts" : ""}`;
}

/** The range of the difference in the unit that is shown, such as `+19 to +73`; null if there is none. */
export function formatRange({ range, unit, isNewRoom }: ScorecardRow): string | null {
  if (range === null) return null;
  if (isNewRoom) return `${Math.round(range.low * 100)}% or more`;
  return `${formatSigned(range.low, unit)} to ${formatSigned(range.high, unit)}`;
}

/** A rounded difference with its sign, without a sign if it is rounded to 0. */
function formatSigned(difference: number, unit: ScorecardRow["unit"]): string {
  const digits = unit === "share" || unit === "sec" || unit === "mb" ? 0 : 1;
  const rounded = Number((unit === "share" ? difference * 100 : difference).toFixed(digits)) || 0;
  const sign = rounded > 0 ? "+" : rounded < 0 ? "-" : "";
  const size = Math.abs(rounded);
  return `${sign}${unit === "share" || unit === "points" ? size : formatMean(size, unit)}`;
}

/** What a row shows besides its numbers, such as `+53 pts` or `+26 pts, may be chance`. */
export function describeChange(row: TitledRow): string {
  if (row.reason !== null) return reasonWords[row.reason] ?? row.reason;
  if (isWatched(row)) return `${row.isNewRoom ? "new room" : formatDifference(row)}, may be chance`;
  if (row.isNewRoom) return `new room, limit ${Math.round((row.limit ?? 0) * 100)}%`;
  return formatDifference(row) ?? "";
}

/** Reasons in fewer words. */
const reasonWords: Readonly<Record<string, string>> = {
  "room is new, and few entered it": "new room, too few to judge",
  "room is new, and nobody of a got that far": "nobody got that far before",
};

/**
 * The rows that the answer shows: those that are worse or better or to watch, all without tests, and none without testers.
 * Completions of a room say the same as its quits, and are left out beside them.
 */
export function selectShown(view: Omit<ScorecardView, "notes">): readonly TitledRow[] {
  const shown = listClear(view);
  return shown.filter((row) => !isRedundant(row, shown));
}

function listClear({ rows, isTested, a, b }: Omit<ScorecardView, "notes">): readonly TitledRow[] {
  if (a.testers === 0 || b.testers === 0) return [];
  return rows.filter(
    (row) => !isTested || row.status === "worse" || row.status === "better" || isWatched(row),
  );
}

/** The number of rows that only say again what another row shows. */
export const countRedundant = (view: Omit<ScorecardView, "notes">): number =>
  listClear(view).length - selectShown(view).length;

/** Completions of a room say the same as its quits. */
const isRedundant = ({ name, subject }: TitledRow, shown: readonly TitledRow[]): boolean =>
  name === "completion" && shown.some((row) => row.name === "quit" && row.subject === subject);

/** What both builds have a value of. */
export interface Outcome {
  readonly label: string;
  /** Both values, such as `2.6 → 2.8`. */
  readonly value: string;
}

/** Ratings and completed rooms of both builds in one line, without those that one of them lacks. */
export const describeOutcomes = (view: Pick<ScorecardView, "rows">): string[] =>
  listOutcomes(view).map(({ label, value }) => `${label} ${value}`);

export function listOutcomes({ rows }: Pick<ScorecardView, "rows">): Outcome[] {
  const ratings = rows
    .filter(({ name, a, b }) => name === "rating" && a.total > 0 && b.total > 0)
    .toSorted((x, y) => y.a.total + y.b.total - x.a.total - x.b.total);
  return [
    ...ratings.slice(0, 1).map((row) => ({ label: row.title, value: formatSides(row) })),
    ...describeCompletion(rows),
  ];
}

function describeCompletion(rows: readonly TitledRow[]): Outcome[] {
  const compared = compareCompletion(rows);
  if (compared === null) return [];
  const percent = (share: number) => `${Math.round(100 * share)}%`;
  return [
    { label: nameCompletion(compared.rooms), value: `${percent(compared.a)} → ${percent(compared.b)}` },
  ];
}

/** The share of entered rooms that testers of each build completed. */
export interface ComparedCompletion {
  readonly a: number;
  readonly b: number;
  /** Whether it leaves out rooms that only one of the builds has, which say nothing about a change. */
  readonly rooms: "all" | "both";
}

/**
 * Compares the completion of the rooms that both builds have; null if they have none, or if nobody completed any: then the game may
 * send no event that means success.
 */
export function compareCompletion(rows: readonly ScorecardRow[]): ComparedCompletion | null {
  const completion = rows.filter(({ name }) => name === "completion");
  const shared = completion.filter(({ a, b }) => a.total > 0 && b.total > 0);
  const [a, b] = [shareOfAll(shared.map((row) => row.a)), shareOfAll(shared.map((row) => row.b))];
  if (a === null || b === null || a + b === 0) return null;
  return { a, b, rooms: shared.length < completion.length ? "both" : "all" };
}

export const nameCompletion = (rooms: ComparedCompletion["rooms"] | null | undefined): string =>
  rooms === "both" ? "shared rooms completed" : "rooms completed";

/** The share with the outcome over all rows together, such as of completed rooms; null if nobody counts in them. */
export function shareOfAll(sides: ReadonlyArray<Pick<RowSide, "count" | "total">>): number | null {
  const total = sum(sides.map((side) => side.total));
  return total === 0 ? null : sum(sides.map(({ count }) => count ?? 0)) / total;
}

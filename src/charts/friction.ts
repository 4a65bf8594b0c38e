/** The friction diff of two builds as bars, grouped by what the tests show, worst first. */

import type { BuildComparison, ComparedBuild } from "../contract/builds.ts";
import { formatPValue } from "../gate/reasons.ts";
import { MIN_CHANGE_POINTS } from "../shared/friction-diff.ts";
import { ownValue } from "../shared/own-value.ts";
import { findTagQuestion } from "../shared/tag-subjects.ts";
import type { BarRow, Bars, ChartMood } from "./charts.ts";
import { rankBySeverity } from "./severity.ts";
import type { TestedChange, TestedComparison } from "./tested-changes.ts";

const titles: Readonly<Record<string, string>> = {
  introduced: "Introduced",
  got_larger: "Got larger",
  carried_over: "Carried over",
  got_smaller: "Got smaller",
  resolved: "Resolved",
};

/** The title of a kind of change. A kind that a newer service added is returned unchanged. */
export const kindTitle = (kind: string) => ownValue(titles, kind) ?? kind;

/** What `Carried over` means, in a sentence. */
export const describeCarriedOver = () =>
  `Carried over: in both builds, less than ${MIN_CHANGE_POINTS} percentage points apart.`;

/** What the tests show, worst first. */
const GROUPS = [
  { title: "Worse", mood: "bad", has: ({ result }) => result === "worse" },
  { title: "Could be explained by unequal play", mood: "neutral", has: isUnequal },
  {
    title: "No clear change",
    mood: "neutral",
    has: (change) => isUnclear(change) && !isNotSeenAgain(change),
  },
  { title: "Not seen again, but could be chance", mood: "neutral", has: isNotSeenAgain },
  { title: "Better", mood: "good", has: ({ result }) => result === "better" },
  {
    title: "Not tested: no tester of one build reached the room or the question",
    mood: "neutral",
    has: isOnlyInOneBuild,
  },
  {
    title: "Not tested",
    mood: "neutral",
    has: (change) => isUntested(change) && !isOnlyInOneBuild(change),
  },
] as const satisfies readonly {
  readonly title: string;
  readonly mood: ChartMood;
  readonly has: (change: TestedChange) => boolean;
}[];

function isUnequal({ result }: TestedChange): boolean {
  return result === "unequal";
}

function isUntested({ result }: TestedChange): boolean {
  return result === "untested";
}

/** Whether the tag is not tested because only testers of one build could meet it. */
function isOnlyInOneBuild({ result, exposedA, exposedB, difference }: TestedChange): boolean {
  return (
    result === "untested" &&
    difference === null &&
    exposedA !== null &&
    exposedB !== null &&
    Math.min(exposedA, exposedB) === 0
  );
}

function isUnclear({ result }: TestedChange): boolean {
  return result === "unclear";
}

function isNotSeenAgain(change: TestedChange): boolean {
  return isUnclear(change) && change.testersB === 0;
}

/** Whether a change is good or bad for players, beyond chance. */
export const getChangeMood = ({ result }: Pick<TestedChange, "result">): ChartMood =>
  result === "worse" ? "bad" : result === "better" ? "good" : "neutral";

/** What a test shows, in words such as `not seen again (1 of 23 before)`. */
export function describeChange(change: TestedChange): string {
  if (isNotSeenAgain(change)) return `not seen again (${change.testersA} of ${change.exposedA} before)`;
  return changeWords[change.result];
}

const changeWords: Readonly<Record<TestedChange["result"], string>> = {
  worse: "worse",
  better: "better",
  unclear: "no clear change",
  unequal: "unequal play",
  untested: "not tested",
};

interface FrictionBuild {
  readonly version: string;
  readonly testers: number;
}

/** Two builds and the changes between them. */
export interface FrictionView
  extends Pick<TestedComparison, "changes" | "basis" | "notes" | "testersA" | "testersB"> {
  readonly game: string;
  readonly environment: string;
  readonly a: FrictionBuild;
  readonly b: FrictionBuild;
  /** What to say if there are no changes. */
  readonly noFriction: string;
}

/** The tested changes of a comparison with both builds. */
export function frictionView(
  { game, environment, buildA, buildB }: BuildComparison,
  { changes, basis, notes, testersA, testersB }: TestedComparison,
): FrictionView {
  return {
    game: game.name,
    environment,
    a: toFrictionBuild(buildA),
    b: toFrictionBuild(buildB),
    noFriction: describeNoFriction({ buildA, buildB }),
    changes,
    basis,
    notes,
    testersA,
    testersB,
  };
}

/** One build of a comparison. */
export const toFrictionBuild = ({ version, testersInBatch }: ComparedBuild): FrictionBuild => ({
  version,
  testers: testersInBatch,
});

/** Says which builds have no testers; null if both have some. A build without testers is not a build without friction. */
export function describeNoTesters({
  environment,
  a,
  b,
}: Pick<FrictionView, "environment" | "a" | "b">): string | null {
  const empty = [a, b].filter(({ testers }) => testers === 0).map(({ version }) => version);
  if (empty.length === 0) return null;
  const where = environment === "all" ? "any environment" : environment;
  return `${empty.join(" and ")} ${empty.length === 1 ? "has" : "have"} no testers in ${where}, so there is nothing to compare.`;
}

type TwoBuilds = Pick<BuildComparison, "buildA" | "buildB">;

/** The builds of which no session has been analyzed yet. */
export const listUnanalyzed = ({ buildA, buildB }: TwoBuilds): string[] =>
  [buildA, buildB]
    .filter(({ analysisVersions }) => analysisVersions?.length === 0)
    .map(({ version }) => version);

/** What to say if no friction was found: a build that was not analyzed is not a build without friction. */
export function describeNoFriction(builds: TwoBuilds): string {
  const waiting = listUnanalyzed(builds);
  return waiting.length === 0
    ? "No friction in either build."
    : `It is not known yet whether there is friction: no session of ${waiting.join(" and ")} has been analyzed.`;
}

/** The diff as bars in percentage points. */
export function frictionChart(view: FrictionView): Bars {
  const { game, environment, a, b, changes } = view;
  const ranked = rankBySeverity(changes);
  const groups = GROUPS.map(({ title, mood, has }) => ({
    title,
    mood,
    rows: ranked.filter((change) => has(change)).map(toBarRow),
  }));
  const where = environment === "all" ? "all environments" : environment;
  return {
    kind: "bars",
    title: `${game}: ${formatBuild(a)} to ${formatBuild(b)}`,
    note: `Share of affected testers in ${where}, and the difference in percentage points (pp) with its 95% interval. ${describeBasis(view)}`,
    unit: "points",
    labels: "Friction",
    codes: "Tag",
    columns: [`in ${a.version}`, `in ${b.version}`, "interval", "p-value"],
    groups: groups.filter(({ rows }) => rows.length > 0),
  };
}

/** Of whom shares are, in a sentence. */
export function describeBasis({ basis, changes, testersA, testersB }: FrictionView): string {
  if (basis === "all")
    return "This service does not report who entered each room, so shares are of all testers.";
  // An old service counts all testers for answers.
  const isLimited = changes.some(
    ({ tag, exposedA, exposedB }) =>
      findTagQuestion(tag) !== null &&
      ((exposedA ?? testersA) < testersA || (exposedB ?? testersB) < testersB),
  );
  const answers = isLimited ? ", and for answers, only testers who answered the question" : "";
  return `For friction in a room, only testers who entered the room count${answers}. For a room that is new in the second build, all testers of both builds count.`;
}

/** The methods behind intervals and p-values, in a sentence. */
export function describeTests(changes: FrictionView["changes"]): string {
  const allowance = changes.some(({ oddsRatio }) => oddsRatio !== 1)
    ? " Where testers of one build played longer, p-values allow for it, so they can be larger than the counts suggest."
    : "";
  return `Intervals: Newcombe's hybrid score method. P-values: Fisher's exact test, two-sided, corrected for the number of tags.${allowance}`;
}

const formatBuild = ({ version, testers }: FrictionBuild) =>
  `${version} (${testers} ${testers === 1 ? "tester" : "testers"})`;

/** The difference that is shown, in percentage points; null if the builds cannot be compared. */
export const getDifference = (change: TestedChange): number | null =>
  isOnlyInOneBuild(change) ? null : (change.difference ?? change.deltaPct);

function toBarRow(change: TestedChange): BarRow {
  const { tag, title, interval, pValue, testersA, testersB, exposedA, exposedB } = change;
  const share = (count: number | null, total: number | null) =>
    count === null || total === null ? null : `${count} of ${total}`;
  return {
    label: title,
    code: tag,
    value: getDifference(change),
    mood: getChangeMood(change),
    details: [
      share(testersA, exposedA),
      share(testersB, exposedB),
      interval && formatInterval(interval),
      pValue === null ? null : formatPValue(pValue),
    ],
  };
}

/** A p-value, such as `0.0027`. */
export { formatPValue } from "../gate/reasons.ts";

/** An interval in whole percentage points, such as `-3 to +28`. */
export function formatInterval({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${formatSignedPoints(low)} to ${formatSignedPoints(high)}`;
}

function formatSignedPoints(points: number): string {
  const rounded = Math.round(points);
  return rounded > 0 ? `+${rounded}` : String(rounded || 0);
}

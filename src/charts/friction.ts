/** The friction diff of two builds as bars, grouped by kind of change, worst first. */
import type { changeKinds } from "../contract/builds.ts";
import type { TagChange } from "../gate/build-comparison.ts";
import { MIN_CHANGE_POINTS } from "../shared/friction-diff.ts";
import { formatTagTitle } from "../shared/tags.ts";
import type { BarRow, Bars, ChartMood } from "./charts.ts";

/** Worst first. */
const KIND_ORDER = [
  "introduced",
  "got_larger",
  "carried_over",
  "got_smaller",
  "resolved",
] as const satisfies readonly (typeof changeKinds)[number][];

const titles: Readonly<Record<string, string>> = {
  introduced: "Introduced",
  got_larger: "Got larger",
  carried_over: "Carried over",
  got_smaller: "Got smaller",
  resolved: "Resolved",
};

const moods: Readonly<Record<string, ChartMood>> = {
  introduced: "bad",
  got_larger: "bad",
  resolved: "good",
  got_smaller: "good",
};

/** Whether a kind of change is good or bad. */
export const getKindMood = (kind: string): ChartMood => moods[kind] ?? "neutral";

/** The title of a kind of change. A kind that a newer service added is returned unchanged. */
export const kindTitle = (kind: string) => titles[kind] ?? kind;

/** What `Carried over` means, in a sentence. */
export const describeCarriedOver = () =>
  `Carried over: in both builds, less than ${MIN_CHANGE_POINTS} percentage points apart.`;

interface FrictionBuild {
  readonly version: string;
  readonly testers: number;
}

/** Two builds and the changes between them. */
export interface FrictionView {
  readonly game: string;
  readonly environment: string;
  readonly a: FrictionBuild;
  readonly b: FrictionBuild;
  readonly changes: readonly TagChange[];
}

/** Says which builds have no testers; null if both have some. A build without testers is not a build without friction. */
export function describeNoTesters({ environment, a, b }: FrictionView): string | null {
  const empty = [a, b].filter(({ testers }) => testers === 0).map(({ version }) => version);
  if (empty.length === 0) return null;
  const where = environment === "all" ? "any environment" : environment;
  return `${empty.join(" and ")} ${empty.length === 1 ? "has" : "have"} no testers in ${where}, so there is nothing to compare.`;
}

/** The diff as bars in percentage points. */
export function frictionChart({ game, environment, a, b, changes }: FrictionView): Bars {
  const kinds = [...new Set([...KIND_ORDER, ...changes.map(({ kind }) => kind)])];
  const groups = kinds.map((kind) => ({
    title: kindTitle(kind),
    mood: getKindMood(kind),
    rows: changes.filter((change) => change.kind === kind).map((change) => toBarRow(change, a, b)),
  }));
  return {
    kind: "bars",
    title: `${game}: ${formatBuild(a)} to ${formatBuild(b)}`,
    note: [
      `Share of affected testers in ${environment === "all" ? "all environments" : environment}, and the difference in percentage points (pp).`,
      ...(changes.some(({ kind }) => kind === "carried_over") ? [describeCarriedOver()] : []),
    ].join(" "),
    unit: "points",
    labels: "Friction",
    codes: "Tag",
    columns: [`in ${a.version}`, `in ${b.version}`],
    groups: groups.filter(({ rows }) => rows.length > 0),
  };
}

const formatBuild = ({ version, testers }: FrictionBuild) => `${version} (${testers} testers)`;

function toBarRow(
  { tag, kind, deltaPct, testersA, testersB }: TagChange,
  a: FrictionBuild,
  b: FrictionBuild,
): BarRow {
  const share = (count: number | null, { testers }: FrictionBuild) =>
    count === null ? null : `${count} of ${testers}`;
  return {
    label: formatTagTitle(tag),
    code: tag,
    value: deltaPct,
    mood: getKindMood(kind),
    details: [share(testersA, a), share(testersB, b)],
  };
}

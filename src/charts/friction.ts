/** The friction diff of two builds as bars: every change by kind, worst first. */
import type { changeKinds } from "../contract/builds.ts";
import type { TagChange } from "../gate/build-comparison.ts";
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

/** What a kind of change means. */
export const getKindMood = (kind: string): ChartMood => moods[kind] ?? "neutral";

/** What a kind of change is called; as it came where it is a new one. */
export const kindTitle = (kind: string) => titles[kind] ?? kind;

interface FrictionBuild {
  readonly version: string;
  readonly testers: number;
}

/** Two builds and what changed between them. */
export interface FrictionView {
  readonly game: string;
  readonly environment: string;
  readonly a: FrictionBuild;
  readonly b: FrictionBuild;
  readonly changes: readonly TagChange[];
}

/** The diff as bars, in percentage points of the testers. */
export function frictionChart({ game, environment, a, b, changes }: FrictionView): Bars {
  const kinds = [...new Set([...KIND_ORDER, ...changes.map(({ kind }) => kind)])];
  const where = environment === "all" ? "every environment" : environment;
  const groups = kinds.map((kind) => ({
    title: kindTitle(kind),
    mood: getKindMood(kind),
    rows: changes.filter((change) => change.kind === kind).map((change) => toBarRow(change, a, b)),
  }));
  return {
    kind: "bars",
    title: `${game}: ${formatBuild(a)} to ${formatBuild(b)}`,
    note: `Shares of testers who met each kind of friction, in ${where}.`,
    unit: "points",
    labels: "Tag",
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
    label: tag,
    value: deltaPct,
    mood: getKindMood(kind),
    details: [share(testersA, a), share(testersB, b)],
  };
}

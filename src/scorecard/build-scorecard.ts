/** The scorecard of two builds, with what it was computed from. */
import type { FormField, ReadFacts, TesterFacts } from "./facts.ts";
import type { ScorecardRow } from "./rows.ts";
import { computeScorecard, type FamilySummary, type Scorecard, type ScorecardOptions } from "./scorecard.ts";

/** The facts of all testers of a build. */
export interface BuildGroup extends Pick<ReadFacts, "version" | "sessions" | "fields"> {
  readonly analysisVersions: readonly number[];
  readonly testers: readonly TesterFacts[];
}

/** What a group consists of. */
export interface GroupScope extends Pick<ReadFacts, "version" | "sessions" | "anonymousSessions"> {
  readonly analysisVersions: number[];
  /** Number of testers that are compared. */
  readonly testers: number;
}

export interface BuildScorecard extends Scorecard {
  readonly families: (FamilySummary & { readonly metrics: string[] })[];
  readonly rows: ScorecardRow[];
  readonly a: GroupScope;
  readonly b: GroupScope;
  /** The form fields of the ratings, in alphabetical order. */
  readonly fields: FormField[];
}

export function compareBuildFacts(a: ReadFacts, b: ReadFacts, options: ScorecardOptions): BuildScorecard {
  const scorecard = computeScorecard(a.group, b.group, options);
  const fields = new Map([...a.fields, ...b.fields].map((field) => [field.field, field]));
  return {
    a: describeGroup(a),
    b: describeGroup(b),
    ...scorecard,
    families: scorecard.families.map((family) => ({ ...family, metrics: [...family.metrics] })),
    rows: [...scorecard.rows],
    fields: [...fields.values()].sort((x, y) => (x.field < y.field ? -1 : 1)),
  };
}

const describeGroup = ({ version, group, sessions, anonymousSessions }: ReadFacts): GroupScope => ({
  ...{ version, analysisVersions: [...(group.analysisVersions ?? [])], sessions, anonymousSessions },
  testers: group.testers.length,
});

/**
 * Reads the facts of a build as a comparison needs them: without a device, several sessions may be of the same tester. One
 * analysis finds both the tags of a session and its outcomes in rooms.
 */
export function readGroup({ version, analysisVersions, sessions, fields, testers }: BuildGroup): ReadFacts {
  const anonymous = testers.filter(({ tester }) => tester === null);
  const compared = testers.filter(({ tester, sessions }) => tester !== null && sessions.length > 0);
  return {
    ...{ version, sessions, fields },
    group: { testers: compared, analysisVersions, outcomeVersions: analysisVersions },
    anonymousSessions: anonymous.reduce((sum, { sessions }) => sum + sessions.length, 0),
  };
}

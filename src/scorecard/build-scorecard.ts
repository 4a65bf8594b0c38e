/** The scorecard of two builds, with what it was computed from. */
import type { Steps } from "../statistics/steps.ts";
import type { GroupFacts, ReadFacts, TesterFacts } from "./facts.ts";
import type { ScorecardRow } from "./rows.ts";
import {
  computeScorecardInSteps,
  type FamilySummary,
  type Scorecard,
  type ScorecardOptions,
} from "./scorecard.ts";

type SessionStates = ReadFacts["sessions"];

/** The name of a form field. */
export interface FormField {
  readonly field: string;
  readonly formName: string;
  readonly label: string;
}

/** The facts of all testers of a build. */
export interface BuildGroup {
  readonly version: string;
  readonly analysisVersions: readonly number[];
  readonly sessions: SessionStates;
  readonly fields: readonly FormField[];
  readonly testers: readonly TesterFacts[];
}

/** What a group consists of. */
export interface GroupScope {
  readonly version: string;
  readonly analysisVersions: number[];
  readonly sessions: SessionStates;
  /** Number of testers with an ended session. */
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

export function* compareBuildFacts(
  a: BuildGroup,
  b: BuildGroup,
  options: ScorecardOptions,
): Steps<BuildScorecard> {
  const scorecard = yield* computeScorecardInSteps(toGroup(a), toGroup(b), options);
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

/** The testers who are compared: without a device, several sessions may be of the same tester. */
export const selectCompared = (testers: readonly TesterFacts[]): TesterFacts[] =>
  testers.filter(({ tester, sessions }) => tester !== null && sessions.length > 0);

/** One analysis finds both the tags of a session and its outcomes in rooms. */
const toGroup = ({
  testers,
  analysisVersions,
}: Pick<BuildGroup, "testers" | "analysisVersions">): GroupFacts => ({
  testers: selectCompared(testers),
  analysisVersions,
  outcomeVersions: analysisVersions,
});

const describeGroup = ({ version, analysisVersions, sessions, testers }: BuildGroup): GroupScope => ({
  version,
  analysisVersions: [...analysisVersions],
  sessions,
  testers: testers.length,
});

/** Reads the facts of a build as a comparison needs them. */
export function readGroup(build: Omit<BuildGroup, "version">): ReadFacts {
  const anonymous = build.testers.filter(({ tester }) => tester === null);
  return {
    group: toGroup(build),
    sessions: build.sessions,
    anonymousSessions: anonymous.reduce((sum, { sessions }) => sum + sessions.length, 0),
    labels: new Map(build.fields.map(({ field, label }) => [field, label])),
  };
}

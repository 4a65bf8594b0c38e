/** The scorecard of two builds, with what it was computed from. */
import type { Steps } from "../statistics/steps.ts";
import type { GroupFacts, TesterFacts } from "./facts.ts";
import type { ScorecardRow } from "./rows.ts";
import {
  computeScorecardInSteps,
  type FamilySummary,
  type Scorecard,
  type ScorecardOptions,
} from "./scorecard.ts";

/** The number of sessions of a build by state. */
export interface SessionStates {
  readonly open: number;
  readonly analyzed: number;
  readonly unanalyzed: number;
  readonly failed: number;
}

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

/** One analysis finds both the tags of a session and its outcomes in rooms. */
const toGroup = ({ testers, analysisVersions }: BuildGroup): GroupFacts => ({
  testers,
  analysisVersions,
  outcomeVersions: analysisVersions,
});

const describeGroup = ({ version, analysisVersions, sessions, testers }: BuildGroup): GroupScope => ({
  version,
  analysisVersions: [...analysisVersions],
  sessions,
  testers: testers.length,
});

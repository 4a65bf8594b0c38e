/** Scorecards of made-up builds, and rows of them, for tests of what shows them. */
import { compareBuilds, type ScorecardView, viewComparison } from "../../src/charts/scorecard.ts";
import type { BuildChange, BuildComparison } from "../../src/contract/builds.ts";
import type { PairComparison, UnknownFacts } from "../../src/contract/scorecard.ts";
import { type BuildScorecard, compareBuildFacts } from "../../src/scorecard/build-scorecard.ts";
import type { ReadFacts, TesterFacts } from "../../src/scorecard/facts.ts";
import { DEFAULT_OPTIONS } from "../../src/scorecard/options.ts";
import { getRowId, type TitledRow } from "../../src/scorecard/titled-rows.ts";
import { group, room, session, tester, testers } from "../scorecard/facts.ts";

/** The facts of a build whose sessions are all analyzed, unless `more` says otherwise. */
export function readFacts(play: readonly TesterFacts[], more: Partial<ReadFacts> = {}): ReadFacts {
  const ended = play.reduce((sum, { sessions }) => sum + sessions.length, 0);
  return {
    group: group(play),
    sessions: { open: 0, analyzed: ended, unanalyzed: 0, failed: 0 },
    anonymousSessions: 0,
    ...{ version: "", fields: [] },
    ...more,
  };
}

export const compareFacts = (a: ReadFacts, b: ReadFacts): BuildScorecard =>
  compareBuildFacts(a, b, DEFAULT_OPTIONS);

/** Compares builds 1.0 and 2.0 of `ember` in production. */
export function compare(
  a: ReadFacts,
  b: ReadFacts,
  changes: readonly BuildChange[] = [],
  environment = "production",
): ScorecardView {
  const [before, after] = [
    { ...a, version: "1.0" },
    { ...b, version: "2.0" },
  ];
  const toBuild = ({ version, group: { testers } }: ReadFacts) => ({ version, testers: testers.length });
  const scorecard = compareFacts(before, after);
  return compareBuilds({
    ...{ game: "ember", environment, changes, scorecard },
    ...{ a: toBuild(before), b: toBuild(after) },
  });
}

/** A comparison of the API document, and why there is no scorecard. */
export function toDiff(
  { game, environment, buildA, buildB, diff }: BuildComparison,
  scorecard: UnknownFacts,
): PairComparison {
  const toBuild = ({ version, testersInBatch: testers }: BuildComparison["buildA"]) => ({ version, testers });
  const builds = { a: toBuild(buildA), b: toBuild(buildB) };
  return { game, environment, ...builds, changes: diff.changes, scorecard, evidence: null };
}

export const viewDiff = (comparison: BuildComparison, scorecard: UnknownFacts): ScorecardView =>
  viewComparison(toDiff(comparison, scorecard));

export const change = (tag: string, more: Partial<BuildChange> = {}): BuildChange => ({
  ...{ tag, kind: "introduced", title: tag, deltaPct: 0 },
  ...more,
});

/** Testers who met a tag that is about no room, or did not. */
export const withTag = (tag: string) => (has: boolean) =>
  tester([session({ tags: has ? [{ tag, afterSec: 30 }] : [] })]);

/** Testers who completed the hall, as all of build 1.0 did. */
export const inHall = () =>
  testers(10, 0, () => tester([session({ rooms: [room("hall", { completed: true })] })]));

/** Testers who went on from the hall to the furnace, which build 1.0 does not have, and quit there or completed it. */
export const inFurnace = (total: number, quits: number) =>
  testers(total, quits, (quit) =>
    tester([
      session({
        rooms: [room("hall", { completed: true }), room("furnace", { afterSec: 60, quit, completed: !quit })],
      }),
    ]),
  );

/** A row of a tag of 1 of 10 testers in a and 6 of 10 in b, which is worse unless `facts` say otherwise. */
export function createRow(facts: Partial<TitledRow> = {}): TitledRow {
  const subject = facts.subject ?? "stuck-point:hall";
  const row: TitledRow = {
    ...{
      metric: `friction:${subject}`,
      name: "friction",
      subject,
      room: null,
      id: "",
      title: "Stuck",
      kind: null,
    },
    ...{ family: "friction", worse: "more", unit: "share", decides: true },
    ...{ status: "worse", reason: null, isNewRoom: false, isRareInA: true, isIntroduced: true },
    ...{
      restsOnPractice: false,
      a: { total: 10, count: 1, value: 0.1 },
      b: { total: 10, count: 6, value: 0.6 },
    },
    ...{ paired: 0, difference: 0.5, limit: 0.1, range: { low: 0.1, high: 0.8 }, noticed: 5 },
    ...{ pValue: 0.001, adjustedPValue: 0.01 },
    ...facts,
  };
  return { ...row, id: facts.id ?? getRowId(row) };
}

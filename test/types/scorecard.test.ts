/** The contract of the scorecard has all fields of what is computed: `npm run typecheck` is what fails here. */
import { expectTypeOf, test } from "vitest";
import type { BuildFacts } from "../../src/contract/build-facts.ts";
import type { BuildsScorecard } from "../../src/contract/scorecard.ts";
import type { BuildScorecard } from "../../src/scorecard/build-scorecard.ts";
import type { ComparedTesters } from "../../src/scorecard/compared-testers.ts";
import type { SessionFacts, TesterFacts } from "../../src/scorecard/facts.ts";
import type { ScorecardRow } from "../../src/scorecard/rows.ts";
import type { FamilySummary } from "../../src/scorecard/scorecard.ts";

test("the scorecard", () => {
  expectTypeOf<
    Exclude<keyof BuildsScorecard, "game" | "environment" | "testersInBatch" | "changes" | "evidence">
  >().toEqualTypeOf<keyof BuildScorecard>();
  expectTypeOf<keyof BuildsScorecard["rows"][number]>().toEqualTypeOf<keyof ScorecardRow>();
  expectTypeOf<keyof BuildsScorecard["families"][number]>().toEqualTypeOf<keyof FamilySummary>();
  expectTypeOf<keyof BuildsScorecard["testers"]>().toEqualTypeOf<keyof ComparedTesters>();
});

test("the facts", () => {
  type Tester = BuildFacts["testers"][number];
  expectTypeOf<keyof Tester>().toEqualTypeOf<keyof TesterFacts>();
  expectTypeOf<keyof Tester["sessions"][number]>().toEqualTypeOf<keyof SessionFacts>();
});

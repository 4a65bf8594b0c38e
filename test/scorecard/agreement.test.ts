/** That the status of a row and its range say the same. */
import { describe, expect, it } from "vitest";
import type { ScorecardRow } from "../../src/scorecard/rows.ts";
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import { createRandom } from "../../src/statistics/random.ts";
import fc from "../property.ts";
import { group, OPTIONS, playAtRandom, room, tester } from "./facts.ts";

/** Testers at random, who share some habits, in rooms of which some are new. */
const randomFacts = fc
  .record({
    seed: fc.nat(),
    sizes: fc.tuple(fc.integer({ min: 3, max: 40 }), fc.integer({ min: 3, max: 40 })),
    paired: fc.constantFrom(0, 0.5, 1),
    shift: fc.constantFrom(0, 0.3, 0.6, -0.3),
    longer: fc.constantFrom(1, 2),
  })
  .map(({ seed, sizes: [sizeA, sizeB], paired, shift, longer }) => {
    const random = createRandom(seed);
    const play = (prefix: string, size: number, extra: number, sec: number) =>
      Array.from({ length: size }, (_, at) => {
        const tags = {
          "pacing-issue:a": 0.3 + extra / 2,
          "stuck-point:new": 0.2 + extra,
          "stuck-point:hall": 0.4,
        };
        const names = prefix === "b" ? ["hall", "new"] : ["hall"];
        const played = playAtRandom(random, { sec, sessions: 1 + Math.floor(random() * 3), tags });
        const sessions = played.map((one) => ({
          ...one,
          rooms: names.map((name) => room(name, { completed: random() < 0.7, quit: random() < 0.3 + extra })),
          answers:
            random() < 0.6
              ? [{ field: "survey/fun", kind: "rating" as const, value: 1 + Math.floor(random() * 5) }]
              : [],
        }));
        return tester(sessions, at < paired * size ? `tester-${at}` : `${prefix}-${at}`);
      });
    return { a: group(play("a", sizeA, 0, 600)), b: group(play("b", sizeB, shift, 600 * longer)) };
  });

/** What a row is called by its range alone. */
function callByRange({ range, worse, limit, isNewRoom }: ScorecardRow): string {
  if (range === null) return "not comparable";
  if (isNewRoom) return range.low > (limit ?? 0) ? "worse" : "unclear";
  const { low, high } = worse === "less" ? { low: -range.high, high: -range.low } : range;
  if (low > 0 || high < 0) return low > 0 ? "worse" : "better";
  return limit !== null && high < limit ? "ruled out" : "unclear";
}

describe("all rows of any facts", () => {
  it("are called what their ranges say", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(randomFacts, ({ a, b }) => {
        const rows = computeScorecard(a, b, OPTIONS).rows.filter(
          ({ worse, range, reason }) => worse !== null && (range !== null || reason !== null),
        );
        for (const row of rows) seen.add(`${row.status}${row.isNewRoom ? " in a new room" : ""}`);
        expect(rows.map((row) => [row.metric, callByRange(row)])).toEqual(
          rows.map(({ metric, status }) => [metric, status]),
        );
      }),
      { numRuns: 60 },
    );
    expect([...seen]).toEqual(
      expect.arrayContaining([
        "worse",
        "better",
        "ruled out",
        "unclear",
        "not comparable",
        "worse in a new room",
        "unclear in a new room",
      ]),
    );
  });

  it("are numbers that JSON has, also for empty groups", () => {
    fc.assert(
      fc.property(randomFacts, fc.constantFrom("a", "b", "both", "neither"), ({ a, b }, kept) => {
        const [keptA, keptB] = [
          kept === "a" || kept === "both" ? a : group([]),
          kept === "b" || kept === "both" ? b : group([]),
        ];
        const scorecard = computeScorecard(keptA, keptB, { ...OPTIONS, divisions: 100 });
        expect(JSON.parse(JSON.stringify(scorecard))).toEqual(scorecard);
      }),
      { numRuns: 40 },
    );
  });
});

import { describe, expect, it } from "vitest";
import { mayDifferByTesters } from "../../src/scorecard/compared-testers.ts";
import type { TesterFacts } from "../../src/scorecard/facts.ts";
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import { group, inHall, OPTIONS, testers } from "./facts.ts";

describe("testers who are in both groups", () => {
  const named = (from: number, to: number, share: number, isReturning: boolean | null) =>
    testers(to - from, 0, (_, at) => ({
      // Those who quit are spread over all testers.
      ...inHall((at * 11) % (to - from) < (to - from) * share),
      tester: `tester-${from + at}`,
      isReturning,
    }));

  it("are counted, as are those who are new", () => {
    const { testers: compared } = computeScorecard(
      group(named(0, 20, 0.2, false)),
      group([...named(0, 10, 0.2, true), ...named(20, 35, 0.2, false)]),
      OPTIONS,
    );
    expect(compared).toEqual({
      onlyA: 10,
      onlyB: 15,
      both: 10,
      newTesters: { a: { count: 20, total: 20 }, b: { count: 15, total: 25 } },
      areOthersAlike: true,
      comparesPairsOnly: false,
    });
  });

  it("are compared alone if the others of one group are new and those of the other are not", () => {
    const a = named(0, 20, 0, true);
    const b = [...named(0, 10, 0, true), ...named(20, 30, 1, false)];
    const { testers: compared, rows } = computeScorecard(group(a), group(b), OPTIONS);
    expect(compared).toMatchObject({ areOthersAlike: false, comparesPairsOnly: true });
    expect(mayDifferByTesters(compared)).toBe(false);
    const quit = rows.find(({ metric }) => metric === "quit:hall");
    expect(quit).toMatchObject({ status: "unclear", paired: 10, a: { total: 10 }, b: { total: 10 } });
  });

  it("are compared alone if the others of b do worse than they explain, although nobody is known to be new", () => {
    const a = named(0, 20, 0.2, null);
    const compareWith = (same: number, newcomers: number) =>
      computeScorecard(
        group(a),
        group([...named(0, 10, same, null), ...named(20, 30, newcomers, null)]),
        OPTIONS,
      ).testers.comparesPairsOnly;
    expect(compareWith(0.4, 0.9)).toBe(true);
    expect(compareWith(0.8, 0.8)).toBe(false);
    expect(compareWith(0.4, 0.2)).toBe(false);
  });

  it("leave a warning if there are too few, and the others are not alike", () => {
    const warn = (b: readonly TesterFacts[]) =>
      mayDifferByTesters(computeScorecard(group(named(0, 20, 0, true)), group(b), OPTIONS).testers);
    expect(warn(named(20, 40, 0.5, false))).toBe(true);
    expect(warn(named(20, 40, 0.5, true))).toBe(false);
    expect(warn(named(20, 40, 0.5, null))).toBe(false);
  });

  it("say that a row is better only because of their practice", () => {
    const play = (from: number, to: number, share: number) => group(named(from, to, share, null));
    const same = computeScorecard(play(0, 20, 0.9), play(0, 20, 0.1), OPTIONS);
    const others = computeScorecard(play(0, 20, 0.9), play(20, 40, 0.1), OPTIONS);
    const find = ({ rows }: typeof same) => rows.find(({ metric }) => metric === "quit:hall");
    expect(find(same)).toMatchObject({ status: "better", restsOnPractice: true });
    expect(find(others)).toMatchObject({ status: "better", restsOnPractice: false });
  });
});

import { describe, expect, it } from "vitest";
import { alignTesters } from "../../src/scorecard/align.ts";
import { matchPlay } from "../../src/scorecard/match-play.ts";
import { group, session, tester } from "./facts.ts";

/** The active times that are compared, in ascending order. */
function matchTimes(timesA: readonly number[], timesB: readonly number[], areSame = false) {
  const create = (name: string, times: readonly number[]) =>
    group(times.map((activeSec, at) => tester([session({ activeSec })], areSame ? `${at}` : `${name}${at}`)));
  const [a, b] = [create("a", timesA), create("b", timesB)];
  const matched = matchPlay(alignTesters(a, b));
  const read = ({ testers }: typeof a) =>
    testers
      .map((one) => (matched.get(one) ?? []).reduce((sum, { activeSec }) => sum + activeSec, 0))
      .sort((x, y) => x - y);
  return [read(a), read(b)] as const;
}

const times = (long: number) =>
  Array.from({ length: 24 }, (_, at) => (at < 10 ? 20 + at * at * at : long + at * 20));

describe("matched play", () => {
  it("is equally long if one group played longer, also if some in both stopped early", () => {
    const [a, b] = matchTimes(times(600), times(1200));
    expect(b).toEqual(a);
    expect(a).toEqual(times(600).sort((x, y) => x - y));
  });

  it("is equally long if one group played longer, also if one tester of the other played very long", () => {
    const long = times(600).map((sec, at) => (at === 23 ? 50_000 : sec));
    const [a, b] = matchTimes(
      long,
      times(600).map((sec) => sec * 3),
    );
    expect(b).toEqual(a);
  });

  it("is all play if both groups played about as long", () => {
    const [a, b] = matchTimes(times(600), times(630));
    expect([a, b]).toEqual([times(600), times(630)].map((one) => one.sort((x, y) => x - y)));
  });

  it("cuts each tester in both groups to the shorter of their times", () => {
    const [a, b] = matchTimes(times(600), times(900), true);
    expect(b).toEqual(a);
  });
});

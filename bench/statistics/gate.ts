/** Simulates the claims about the gate. */
import { diffTags, type GateBuild } from "../../src/gate/build-comparison.ts";
import type { GateConfig } from "../../src/gate/config.ts";
import { judge } from "../../src/gate/judge.ts";
import type { GateVerdict } from "../../src/gate/verdict.ts";
import { nextLevel, type SpentLevel } from "../../src/statistics/alpha-spending.ts";
import type { ClaimRow } from "./index.ts";
import { measure, percent } from "./measure.ts";
import { always, drawTesters, geometric, type SimulatedBuild, TAG_RATES, toBuild } from "./simulated-play.ts";

const NEW_TAG = `confusion:tag-${TAG_RATES.length - 1}`;
/** No tester of a has the last tag. In b, this share of sessions has it. */
const withoutTag = [...TAG_RATES.slice(0, -1), 0];
const withTag = (rate: number) => [...TAG_RATES.slice(0, -1), rate];
const SIZES = [10, 20, 50];

/** With 10 testers, false failures and power are so close to their targets that a row needs more runs. */
const resolveRuns = (runs: number, testers: number) => (testers === 10 ? 4 * runs : runs);

interface Pair {
  readonly a: GateBuild;
  readonly b: GateBuild;
}

/** Judges two drawn builds. */
function judgePair({ a, b }: Pair, config: GateConfig = {}, level = 1): GateVerdict {
  return judge({
    game: "g",
    environment: "production",
    a,
    b,
    changes: diffTags(a, b),
    config,
    now: 0,
    level,
  });
}

/** The gate without matching: it compares all sessions of all testers. */
const judgeUnmatched = ({ a, b }: Pair, config: GateConfig = {}) =>
  judgePair({ a: { ...a, history: null }, b: { ...b, history: null } }, { ...config, detectPoints: 100 });

function drawPair(a: SimulatedBuild, b: SimulatedBuild, random: () => number): Pair {
  return { a: toBuild("a", drawTesters(a, random)), b: toBuild("b", drawTesters(b, random)) };
}

const failsNewTag = ({ findings }: GateVerdict) =>
  findings.some(({ tag, status }) => tag === NEW_TAG && status === "failed");
const isFailed = ({ verdict }: GateVerdict) => verdict === "failed";

const sessionCases = [
  { name: "1 and 2 sessions", a: always(1), b: always(2), isEqual: false },
  { name: "1 and 3 sessions", a: always(1), b: always(3), isEqual: false },
  { name: "3 and 1 sessions", a: always(3), b: always(1), isEqual: false },
  { name: "1 and 1 session", a: always(1), b: always(1), isEqual: true },
  { name: "3 and 3 sessions", a: always(3), b: always(3), isEqual: true },
  { name: "2 and 4 sessions on average", a: geometric(2), b: geometric(4), isEqual: false },
  { name: "1.5 and 2 sessions on average", a: geometric(1.5), b: geometric(2), isEqual: false },
  { name: "2 and 2 sessions on average", a: geometric(2), b: geometric(2), isEqual: true },
];

export function* sessionClaims(runs: number): Generator<ClaimRow> {
  for (const { name, a, b, isEqual } of sessionCases) {
    for (const testers of SIZES) {
      const base = { testers, rates: TAG_RATES };
      // With fewer testers, the default of detectPoints makes all of these builds inconclusive.
      const config = testers < 20 ? insensitive : {};
      const [failed, before, inconclusive] = measure(resolveRuns(runs, testers), 1, (random) => {
        const pair = drawPair({ ...base, sessions: a }, { ...base, sessions: b }, random);
        const verdict = judgePair(pair, config);
        return [isFailed(verdict), isFailed(judgeUnmatched(pair)), verdict.verdict === "inconclusive"];
      });
      const [found, foundBefore = 0] = measure(resolveRuns(runs, testers), 2, (random) => {
        const pair = drawPair(
          { testers, sessions: a, rates: withoutTag },
          { testers, sessions: b, rates: withTag(0.4) },
          random,
        );
        return [failsNewTag(judgePair(pair, config)), failsNewTag(judgeUnmatched(pair))];
      });
      const sides = `${testers} testers per build, ${name}`;
      yield {
        claim: `Equal builds fail: ${sides}`,
        target: "≤ 5%",
        measured: `${percent(failed)} (unmatched: ${percent(before)}); inconclusive ${percent(inconclusive)}`,
      };
      yield {
        claim: `A new tag in 40% of sessions fails: ${sides}`,
        target: isEqual ? `≥ ${percent(0.95 * foundBefore)}` : "-",
        measured: `${percent(found)} (unmatched: ${percent(foundBefore)})`,
      };
    }
  }
}

/** Without the check that the gate could have noticed a new problem. */
const insensitive: GateConfig = { detectPoints: 100 };

export function* playTimeClaims(runs: number): Generator<ClaimRow> {
  for (const playTime of [1, 1.2, 1.4, 2]) {
    for (const testers of SIZES) {
      const common = { testers, sessions: always(1), isPerMinute: true };
      const [failed, before] = measure(resolveRuns(runs, testers), 3, (random) => {
        const pair = drawPair(
          { ...common, rates: TAG_RATES },
          { ...common, rates: TAG_RATES, playTime },
          random,
        );
        return [isFailed(judgePair(pair, insensitive)), isFailed(judgeUnmatched(pair))];
      });
      const [found, foundBefore] = measure(resolveRuns(runs, testers), 4, (random) => {
        const pair = drawPair(
          { ...common, rates: withoutTag },
          { ...common, rates: withTag(0.5), playTime },
          random,
        );
        return [failsNewTag(judgePair(pair, insensitive)), failsNewTag(judgeUnmatched(pair))];
      });
      const sides = `${testers} testers per build, b played ${playTime} times as long, friction per minute`;
      yield {
        claim: `Equal builds fail: ${sides}`,
        target: "≤ 5%",
        measured: `${percent(failed)} (unmatched: ${percent(before)})`,
      };
      yield {
        claim: `A new tag (50% in the time of a) fails: ${sides}`,
        target: playTime === 1 ? `≥ ${percent(0.95 * (foundBefore ?? 0))}` : "-",
        measured: `${percent(found)} (unmatched: ${percent(foundBefore)})`,
      };
    }
  }
}

/** A wall that makes its session longer, and equal builds of which b is played longer inside and outside the room. */
export function* roomClaims(runs: number): Generator<ClaimRow> {
  const common = { testers: 20, sessions: always(1), room: NEW_TAG.split(":")[1] ?? "" };
  for (const wallTime of [2, 4]) {
    const [found = 0, foundBefore = 0] = measure(runs, 11, (random) => {
      const pair = drawPair(
        { ...common, rates: withoutTag },
        { ...common, rates: withTag(0.6), wallTime },
        random,
      );
      return [failsNewTag(judgePair(pair, insensitive)), failsNewTag(judgeUnmatched(pair))];
    });
    yield {
      claim: `A wall in a room that makes its session ${wallTime} times as long fails: 20 testers per build, 60% meet it`,
      target: `≥ ${percent(0.95 * foundBefore)}`,
      measured: `${percent(found)} (unmatched: ${percent(foundBefore)})`,
    };
  }
  for (const playTime of [1.2, 1.4, 2]) {
    const build = { ...common, rates: TAG_RATES, isPerMinute: true };
    const [failed, before] = measure(runs, 12, (random) => {
      const pair = drawPair(build, { ...build, playTime }, random);
      return [isFailed(judgePair(pair, insensitive)), isFailed(judgeUnmatched(pair))];
    });
    yield {
      claim: `Equal builds with rooms fail: 20 testers per build, b played ${playTime} times as long in and outside the room`,
      target: "≤ 5%",
      measured: `${percent(failed)} (unmatched: ${percent(before)})`,
    };
  }
}

/** Without device ids, sessions of one person look like several testers. */
export function* deviceClaims(runs: number): Generator<ClaimRow> {
  // A person has a tag in all sessions or in none.
  const drawPeople = (random: () => number) =>
    drawTesters({ testers: 10, sessions: always(1), rates: TAG_RATES, isAnonymous: true }, random).flatMap(
      (one) => Array.from({ length: 5 }, () => one),
    );
  const [failed, before, inconclusive] = measure(runs, 5, (random) => {
    const pair = { a: toBuild("a", drawPeople(random)), b: toBuild("b", drawPeople(random)) };
    const verdict = judgePair(pair);
    return [isFailed(verdict), isFailed(judgeUnmatched(pair)), verdict.verdict === "inconclusive"];
  });
  yield {
    claim: "Equal builds fail: 10 people with 5 sessions each and no device ID",
    target: "≤ 5%",
    measured: `${percent(failed)} (all sessions judged: ${percent(before)}); inconclusive ${percent(inconclusive)}`,
  };
}

export function* detectionClaims(runs: number): Generator<ClaimRow> {
  for (const testers of [5, 10, 15, 20, 25, 30, 50]) {
    const common = { testers, sessions: always(1) };
    const [passed, before, inconclusive] = measure(runs, 6, (random) => {
      const pair = drawPair({ ...common, rates: withoutTag }, { ...common, rates: withTag(0.4) }, random);
      const verdict = judgePair(pair);
      return [
        verdict.verdict === "passed",
        judgeUnmatched(pair).verdict === "passed",
        verdict.verdict === "inconclusive",
      ];
    });
    yield {
      claim: `A build in which 40% of testers hit a new wall passes: ${testers} testers per build`,
      target: "≤ 30%",
      measured: `${percent(passed)} (without detectPoints: ${percent(before)}); inconclusive ${percent(inconclusive)}`,
    };
  }
  const [passed, inconclusive] = measure(runs, 7, (random) => {
    const common = { testers: 3, sessions: always(1) };
    const pair = drawPair({ ...common, rates: withoutTag }, { ...common, rates: withTag(1) }, random);
    const { verdict } = judgePair(pair, { minTesters: 3, detectPoints: 100 });
    return [verdict === "passed", verdict === "inconclusive"];
  });
  yield {
    claim: "A new tag that all testers of b have passes: 3 testers per build, minTesters 3",
    target: "0%",
    measured: `${percent(passed)}; inconclusive ${percent(inconclusive)}`,
  };
}

/** Runs after each tester of b from 5 to 50, of 50 planned ones. */
export function* repeatedClaims(runs: number): Generator<ClaimRow> {
  const [planned, first] = [50, 5];
  const common = { testers: planned, sessions: always(1) };
  const simulate = (seed: number, ratesA: readonly number[], ratesB: readonly number[]) =>
    measure(runs, seed, (random) => {
      const a = toBuild("a", drawTesters({ ...common, rates: ratesA }, random));
      const testers = drawTesters({ ...common, rates: ratesB }, random);
      let last: SpentLevel | null = null;
      let [failed, failedUnspent, spent] = [false, false, 0];
      for (let size = first; size <= planned; size += 1) {
        const pair = { a, b: toBuild("b", testers.slice(0, size)) };
        failedUnspent ||= isFailed(judgePair(pair, insensitive));
        const level = nextLevel(last, size, planned, 0.05);
        if (level === null) continue;
        failed ||= isFailed(judgePair(pair, insensitive, level));
        spent += level;
        last = { testers: size, spent };
      }
      return [failed, failedUnspent];
    });
  const [failed, before] = simulate(9, TAG_RATES, TAG_RATES);
  yield {
    claim: "Equal builds fail in any of 46 runs, after each tester from 5 to 50, with --sequential",
    target: "≤ 5%",
    measured: `${percent(failed)} (without: ${percent(before)})`,
  };
  const [found, foundBefore] = simulate(10, withoutTag, withTag(0.4));
  yield {
    claim: "A build with a new tag that affects 40% of testers fails in any of these runs",
    target: "-",
    measured: `${percent(found)} (without: ${percent(foundBefore)})`,
  };
}

const starterLimits: GateConfig["limits"] = {
  engagementRate: { maxDropPoints: 10 },
  medianActiveSec: { maxDropPct: 25 },
  bugReportsPerSession: { maxIncrease: 0.5 },
};
const strictLimits: GateConfig["limits"] = {
  engagementRate: { maxDropPoints: 0 },
  medianActiveSec: { maxDropPct: 0 },
  bugReportsPerSession: { maxIncrease: 0 },
};

export function* limitClaims(runs: number): Generator<ClaimRow> {
  for (const [name, limits] of [
    ["of `gate init`", starterLimits],
    ["of 0", strictLimits],
  ] as const) {
    for (const testers of SIZES) {
      const build = { testers, sessions: geometric(2), rates: [], spread: 0.8 };
      const [failed, crossed] = measure(runs, 8, (random) => {
        const found = judgePair(drawPair(build, build, random), { limits }).limits;
        return [
          found.some(({ status }) => status === "failed"),
          found.some(({ status }) => status === "failed" || status === "noise"),
        ];
      });
      yield {
        claim: `Equal builds fail a limit: three limits ${name}, ${testers} testers per build`,
        target: "≤ 5%",
        measured: `${percent(failed)} (without intervals: ${percent(crossed)})`,
      };
    }
  }
}

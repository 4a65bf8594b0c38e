/** That what a scorecard says about its power is what its tests find. */
import { describe, expect, it } from "vitest";
import { findFamily, measureDetection, planTesters } from "../../src/scorecard/plan.ts";
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { group, OPTIONS, session, tester } from "./facts.ts";

const TAGS = Array.from({ length: 8 }, (_, at) => `pacing-issue:${at}`);

/** Testers of whom a number has each tag, those of different tags spread over them. */
const withTags = (total: number, counts: Readonly<Record<string, number>>) =>
  group(
    Array.from({ length: total }, (_, at) =>
      tester([
        session({
          tags: Object.entries(counts).flatMap(([tag, count], row) =>
            (at * 7 + row * 5) % total < count ? [{ tag, afterSec: 1 }] : [],
          ),
        }),
      ]),
    ),
  );

const base = Object.fromEntries(TAGS.map((tag, at) => [tag, 1 + at * 2]));

const find = (scorecard: ReturnType<typeof computeScorecard>, tag: string) => {
  const row = scorecard.rows.find(({ subject }) => subject === tag);
  if (row === undefined) throw new Error(`No row of ${tag}`);
  return row;
};

describe("what can be noticed", () => {
  it("is the smallest count of b that is called worse", () => {
    const before = computeScorecard(withTags(23, base), withTags(23, base), OPTIONS);
    for (const tag of ["pacing-issue:0", "pacing-issue:2", "pacing-issue:4"]) {
      const { noticed, a } = find(before, tag);
      expect(noticed).toBeGreaterThan(a.count ?? 0);
      const withCount = (count: number) =>
        find(computeScorecard(withTags(23, base), withTags(23, { ...base, [tag]: count }), OPTIONS), tag);
      expect(withCount(noticed ?? 0).status).toBe("worse");
      expect(withCount((noticed ?? 0) - 1).status).not.toBe("worse");
    }
  });

  it("is known of tags that nobody has yet, and of games without any", () => {
    const before = computeScorecard(withTags(23, base), withTags(23, base), OPTIONS);
    const { noticed: needed } = measureDetection(before, { share: 0.4, limit: 0.1, power: 0.7 });
    const withNew = (count: number) =>
      find(
        computeScorecard(withTags(23, base), withTags(23, { ...base, "confusion:door": count }), OPTIONS),
        "confusion:door",
      );
    expect(withNew(needed ?? 0)).toMatchObject({ status: "worse", isIntroduced: true });
    expect(withNew((needed ?? 0) - 2).status).not.toBe("worse");
    const empty = computeScorecard(withTags(23, {}), withTags(23, {}), OPTIONS);
    expect(empty.families.find(({ metrics }) => metrics.includes("friction"))).toEqual({
      metrics: ["friction"],
      decides: true,
      level: 0.025,
      tested: 0,
      critical: 0.025,
      criticalOfNew: 0.025,
    });
  });

  it("is nothing if there are too few testers", () => {
    const few = computeScorecard(withTags(3, base), withTags(3, base), OPTIONS);
    expect(find(few, "pacing-issue:0").noticed).toBeNull();
    const detection = measureDetection(few, { share: 0.4, limit: 0.1, power: 0.7 });
    expect(detection).toMatchObject({ noticed: null, power: 0 });
    expect(detection.testersPerGroup).toBeGreaterThan(10);
    expect(detection.testersPerGroup).toBeLessThan(40);
  });

  it("is more than the limit", () => {
    const many = computeScorecard(withTags(200, base), withTags(200, base), OPTIONS);
    expect(measureDetection(many, { share: 0.2, limit: 0.15, power: 0.7 })).toMatchObject({ noticed: 31 });
    expect(measureDetection(many, { share: 0.1, limit: 0.15, power: 0.7 }).testersPerGroup).toBeNull();
  });
});

describe("a plan", () => {
  const scorecard = computeScorecard(withTags(24, base), withTags(24, base), OPTIONS);
  const row = find(scorecard, "pacing-issue:2");
  const needed = planTesters(scorecard, row, { increase: 0.4, power: 0.8 }) ?? 0;

  it("has as many testers as find the increase with the required probability", () => {
    const random = createRandom(8);
    const play = (shares: Readonly<Record<string, number>>) =>
      group(
        Array.from({ length: needed }, () =>
          tester([
            session({
              tags: Object.entries(shares).flatMap(([tag, share]) =>
                random() < share ? [{ tag, afterSec: 1 }] : [],
              ),
            }),
          ]),
        ),
      );
    const shares = Object.fromEntries(TAGS.map((tag, at) => [tag, (1 + at * 2) / 24]));
    const worse = { ...shares, "pacing-issue:2": (shares["pacing-issue:2"] ?? 0) + 0.4 };
    const found = Array.from({ length: 100 }).filter(
      () =>
        find(computeScorecard(play(shares), play(worse), { ...OPTIONS, divisions: 500 }), "pacing-issue:2")
          .status === "worse",
    );
    // Below 70 or above 97, 80 to 90 percent would be outside of the 99% range of 100 runs.
    expect(found.length).toBeGreaterThan(69);
    expect(found.length).toBeLessThan(98);
  });

  it("needs more testers for less, and for more certainty", () => {
    expect(planTesters(scorecard, row, { increase: 0.2, power: 0.8 })).toBeGreaterThan(2 * needed);
    expect(planTesters(scorecard, row, { increase: 0.4, power: 0.95 })).toBeGreaterThan(needed);
    expect(findFamily(scorecard, row)?.metrics).toEqual(["friction"]);
  });

  it("is not made for increases to more than all testers", () => {
    const all = computeScorecard(
      withTags(24, { ...base, "confusion:door": 20 }),
      withTags(24, { ...base, "confusion:door": 20 }),
      OPTIONS,
    );
    const common = find(all, "confusion:door");
    expect(planTesters(all, common, { increase: 0.2, power: 0.8 })).toBeNull();
    expect(planTesters(all, common, { increase: 0.15, power: 0.8 })).toBeGreaterThan(24);
  });

  it("is not made for rows of which nothing is worse", () => {
    const time = scorecard.rows.find(({ metric }) => metric === "active-time");
    expect(time && planTesters(scorecard, time, { increase: 0.2, power: 0.8 })).toBeNull();
  });
});

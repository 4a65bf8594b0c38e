import { describe, expect, it } from "vitest";
import type { SessionFacts } from "../../src/scorecard/facts.ts";
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { group, inHall, OPTIONS, playAtRandom, room, session, tester, testers } from "./facts.ts";

const compare = (a: Parameters<typeof group>[0], b: Parameters<typeof group>[0], options = OPTIONS) =>
  new Map(computeScorecard(group(a), group(b), options).rows.map((row) => [row.metric, row]));

describe("quit", () => {
  it("finds that testers quit in a room", () => {
    const row = compare(testers(22, 2, inHall), testers(23, 11, inHall)).get("quit:hall");
    expect(row).toMatchObject({ status: "worse", a: { count: 2, total: 22 }, b: { count: 11, total: 23 } });
    expect(row?.range?.low).toBeGreaterThan(0);
    expect(row?.adjustedPValue).toBeLessThan(0.025);
  });

  it("counts testers by all of their sessions: who completes the room later has not quit", () => {
    const back = (completes: boolean) =>
      tester([
        session({ rooms: [room("hall", { quit: true })] }),
        session({ rooms: [room("hall", { completed: completes })] }),
      ]);
    const row = compare(testers(10, 10, back), testers(10, 4, back)).get("quit:hall");
    expect(row).toMatchObject({ a: { count: 0 }, b: { count: 6 } });
  });

  it("counts the ends of sessions in rooms without outcomes only if the player gave up", () => {
    const inMenu = (gaveUp: boolean) =>
      tester([session({ rooms: [room("menu", { quit: true, failed: false, gaveUp })] })]);
    const row = compare(testers(10, 0, inMenu), testers(10, 3, inMenu)).get("quit:menu");
    expect(row).toMatchObject({ a: { count: 0, total: 10 }, b: { count: 3, total: 10 } });
  });

  it("cannot be compared if sessions end at the same time", () => {
    const timed = (quit: boolean, at: number) =>
      tester([session({ wallSec: 900 + at, rooms: [room("hall", { quit, completed: !quit })] })]);
    const row = compare(testers(20, 2, timed), testers(20, 18, timed)).get("quit:hall");
    expect(row).toMatchObject({ status: "not comparable", reason: "sessions are timed" });
  });
});

describe("testers of both builds who reached a room in one only", () => {
  const play = (id: number, isThere: boolean) => ({
    ...tester([
      session({
        rooms: [room("hall"), ...(isThere ? [room("vault")] : [])],
        tags: isThere && id % 2 === 0 ? [{ tag: "difficulty-spike:vault", afterSec: 30 }] : [],
      }),
    ]),
    tester: `tester-${id}`,
  });
  const compareVault = (inA: (id: number) => boolean, inB: (id: number) => boolean) => {
    const [a, b] = [inA, inB].map((isThere) => Array.from({ length: 20 }, (_, id) => play(id, isThere(id))));
    return compare(a ?? [], b ?? []).get("friction:difficulty-spike:vault");
  };

  it("do not count if one build was easier to reach it in, as with a saved game", () => {
    const row = compareVault(
      (id) => id < 8,
      () => true,
    );
    expect(row).toMatchObject({ paired: 8, a: { total: 8 }, b: { total: 8 } });
  });

  it("count if about as many reached it in each", () => {
    const row = compareVault(
      (id) => id < 12,
      (id) => id >= 8,
    );
    expect(row).toMatchObject({ paired: 4, a: { total: 12 }, b: { total: 12 } });
  });
});

describe("a new room", () => {
  it("is judged by all play, although it is what makes b play longer", () => {
    const before = testers(12, 0, () =>
      tester([session({ activeSec: 300, rooms: [room("hall", { completed: true })] })]),
    );
    const after = testers(12, 12, (isStuck) =>
      tester([
        session({
          activeSec: 3000,
          rooms: [room("hall", { completed: true }), room("vault", { afterSec: 280, activeSec: 2700 })],
          tags: isStuck ? [{ tag: "difficulty-spike:vault", afterSec: 2000 }] : [],
        }),
      ]),
    );
    const row = compare(before, after).get("friction:difficulty-spike:vault");
    expect(row).toMatchObject({ status: "worse", isNewRoom: true, b: { count: 12, total: 12 } });
  });
});

describe("friction", () => {
  const withTag = (hasTag: boolean, facts: Partial<SessionFacts> = {}) =>
    tester([session({ tags: hasTag ? [{ tag: "pacing-issue:idle", afterSec: 30 }] : [], ...facts })]);

  it("counts no sessions without an analysis", () => {
    const unknown = Array.from({ length: 30 }, () => withTag(false, { analyzed: false }));
    const row = compare(
      testers(20, 1, (has) => withTag(has)),
      [...testers(10, 6, (has) => withTag(has)), ...unknown],
    ).get("friction:pacing-issue:idle");
    expect(row).toMatchObject({ status: "worse", a: { total: 20 }, b: { count: 6, total: 10 } });
  });

  it("compares equally long play: neither the number of sessions nor longer play is friction", () => {
    const random = createRandom(5);
    const tags = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`stuck-point:${at}`, 0.1 + at * 0.07]),
    );
    const play = (sessions: number, sec: number) =>
      testers(30, 0, () => tester(playAtRandom(random, { sessions, sec: sec * (0.5 + random()), tags })));
    for (const [sessions, sec] of [
      [4, 600],
      [2, 1800],
    ] as const) {
      const rows = [...compare(play(1, 600), play(sessions, sec)).values()];
      expect(rows.filter(({ status }) => status === "worse" || status === "better")).toEqual([]);
    }
  });

  it("finds a tag of half of 20 testers in most runs, however many sessions they play", () => {
    const random = createRandom(9);
    const tags = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`stuck-point:${at}`, 0.1 + at * 0.05]),
    );
    for (const sessions of [1, 2, 4]) {
      const found = Array.from({ length: 40 }).filter(() => {
        const play = (count: number, own: Readonly<Record<string, number>>) =>
          testers(20, 0, () => tester(playAtRandom(random, { sessions: count, sec: 600, tags: own })));
        const rows = compare(play(1, tags), play(sessions, { ...tags, "confusion:door": 0.5 }));
        return rows.get("friction:confusion:door")?.status === "worse";
      });
      expect(found.length).toBeGreaterThanOrEqual(32);
    }
  });

  it("compares testers of both builds with themselves", () => {
    const known = (count: number) =>
      testers(20, count, (has, at) => tester(withTag(has).sessions, `tester-${at}`));
    const [paired, apart] = [
      compare(known(8), known(16)).get("friction:pacing-issue:idle"),
      compare(
        testers(20, 8, (has) => withTag(has)),
        testers(20, 16, (has) => withTag(has)),
      ).get("friction:pacing-issue:idle"),
    ];
    expect([paired?.paired, apart?.paired]).toEqual([20, 0]);
    expect(paired?.pValue).toBeCloseTo(0.5 ** 8, 10);
    expect(paired?.pValue ?? 1).toBeLessThan(apart?.pValue ?? 0);
  });
});

describe("a room that is new", () => {
  const inA = testers(10, 10, (completed) => tester([session({ rooms: [room("hall", { completed })] })]));
  const inB = (quits: number, total = 10) =>
    testers(total, quits, (quit) =>
      tester([
        session({
          rooms: [
            room("hall", { completed: true }),
            room("furnace", { afterSec: 60, quit, completed: !quit }),
          ],
        }),
      ]),
    );

  it("is judged alone, against the share that is allowed in it", () => {
    expect(compare(inA, inB(9)).get("quit:furnace")).toMatchObject({ status: "worse", isNewRoom: true });
    expect(compare(inA, inB(5)).get("quit:furnace")).toMatchObject({ status: "unclear", isNewRoom: true });
  });

  it("is not worse because most complete it, or because the testers of a who entered it had played longer than is compared", () => {
    expect(compare(inA, inB(1)).get("completion:furnace")).toMatchObject({
      status: "not comparable",
      reason: "nobody in a",
      b: { count: 9, total: 10 },
    });
    const late = (sec: number, hasTag: boolean) =>
      tester([
        session({
          activeSec: sec,
          rooms: [room("hall", { completed: true }), room("furnace", { afterSec: sec - 60 })],
          tags: hasTag ? [{ tag: "stuck-point:furnace", afterSec: sec - 30 }] : [],
        }),
      ]);
    const row = compare(
      testers(20, 0, () => late(2000, false)),
      testers(20, 20, (has) => late(500, has)),
    ).get("friction:stuck-point:furnace");
    expect(row).toMatchObject({ status: "not comparable", reason: "nobody in a", isNewRoom: false });
  });

  it("cannot be judged if few entered it, or if nobody of a completed the room before it", () => {
    expect(compare(inA, inB(4, 4)).get("quit:furnace")).toMatchObject({
      status: "not comparable",
      reason: "room is new, and few entered it",
    });
    const stuck = testers(10, 10, () => tester([session({ rooms: [room("hall")] })]));
    expect(compare(stuck, inB(9)).get("quit:furnace")).toMatchObject({
      status: "not comparable",
      reason: "room is new, and nobody of a got that far",
    });
  });
});

describe("what came with b", () => {
  it("is worse and rare in a, or in a new room", () => {
    const find = (countA: number, countB: number) =>
      compare(testers(50, countA, inHall), testers(50, countB, inHall)).get("quit:hall");
    expect(find(1, 21)).toMatchObject({ status: "worse", isRareInA: true, isIntroduced: true });
    expect(find(5, 25)).toMatchObject({ status: "worse", isRareInA: true, isIntroduced: true });
    expect(find(6, 30)).toMatchObject({ status: "worse", isRareInA: false, isIntroduced: false });
    expect(find(1, 1)).toMatchObject({ status: "ruled out", isRareInA: true, isIntroduced: false });
  });
});

it("compares what an analysis stores only if the same versions of the rules read both builds", () => {
  const play = testers(20, 5, (crashed, at) =>
    tester([
      session({
        ...{
          crashed,
          rooms: [room("hall")],
          tags: at % 2 === 0 ? [{ tag: "confusion:hall", afterSec: 9 }] : [],
        },
        answers: [{ kind: "rating", field: "fun", value: at % 5 }],
        performance: {
          platform: "linux",
          rooms: [{ room: "hall", frames: [0, 900], memoryMb: 400 + at, loadMs: 900 + at }],
        },
      }),
    ]),
  );
  const read = (version: number) => ({
    ...group(play),
    analysisVersions: [1, version],
    outcomeVersions: [1, version],
  });
  const findDifferent = (version: number) =>
    computeScorecard(group(play), read(version), OPTIONS).rows.filter(
      ({ reason }) => reason === "different analyses",
    );
  expect(findDifferent(1)).toEqual([]);
  const names = new Set(findDifferent(2).map(({ name }) => name));
  expect([...names].sort()).toEqual([
    ...["active-time", "completion", "crash", "frame-time-p95", "friction", "load-time", "memory", "quit"],
    "stutter",
  ]);
});

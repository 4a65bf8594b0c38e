/** How often equal builds are called worse or better, in the situations in which that once happened. */
import type { TesterFacts } from "../../src/scorecard/facts.ts";
import { computeScorecard, type ScorecardOptions } from "../../src/scorecard/scorecard.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { addPerformance, type Game, group, type Habits, simulateTester } from "./simulated-testers.ts";

/** Fewer divisions than in use cost power, and no error rate: each p-value counts the divisions that there are. */
export const OPTIONS: ScorecardOptions = {
  level: 0.05,
  families: ["friction", "quits"],
  limits: { friction: 0.1, quit: 0.1 },
  newRooms: { max: 0.4, count: "new" },
  divisions: 1000,
};

type Random = () => number;

export interface Cell {
  readonly name: string;
  /** The families that decide. Default: those of the options. */
  readonly families?: ScorecardOptions["families"];
  /** The testers of two equal builds. */
  play(random: Random): { readonly a: readonly TesterFacts[]; readonly b: readonly TesterFacts[] };
}

const LEVELS = Array.from({ length: 6 }, (_, at) => `level-${at + 1}`);

export const GAME: Game = {
  levels: LEVELS,
  quit: 0.06,
  tags: {
    ...Object.fromEntries(LEVELS.map((level, at) => [`difficulty-spike:${level}`, 0.08 + 0.08 * at])),
    "pacing-issue:idle": 0.02,
    "confusion:map": 0.05,
    "bug-report:error": 0.1,
  },
};

const RARE: Game = {
  ...GAME,
  tags: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`bug-report:rare-${at}`, 0.004])),
};

const TESTERS = 24;
export const PLAY_SEC = 600;

/** The times of testers vary, as do their skills if they are not alike. */
function createHabits(random: Random, { isAlike, ...own }: Partial<Habits> & { isAlike: boolean }): Habits {
  return {
    id: null,
    isReturning: null,
    weakness: isAlike ? 1 : -Math.log(1 - random()),
    sessions: 1,
    ...own,
    sec: (own.sec ?? PLAY_SEC) * (0.6 + 0.8 * random()),
  };
}

const players = (
  random: Random,
  game: Game,
  count: number,
  own: (at: number) => Partial<Habits>,
  isAlike = true,
): TesterFacts[] =>
  Array.from({ length: count }, (_, at) =>
    simulateTester(random, game, createHabits(random, { isAlike, ...own(at) })),
  );

/** A cell in which the testers of a and b are others. */
const apart = (
  name: string,
  ownOfB: (at: number) => Partial<Habits>,
  { game = GAME, count = TESTERS, isAlike = true } = {},
): Cell => ({
  name,
  play: (random) => ({
    a: players(random, game, count, () => ({}), isAlike),
    b: players(random, game, count, ownOfB, isAlike),
  }),
});

/** A cell in which the first testers of both builds are the same, and change between the builds. */
const together = (
  name: string,
  share: number,
  change: {
    readonly same?: (of: Habits) => Partial<Habits>;
    readonly newcomer?: Partial<Habits>;
    readonly count?: number;
  } = {},
): Cell => ({
  name,
  play: (random) => {
    const { count = TESTERS } = change;
    const habits = Array.from({ length: count }, (_, at) =>
      createHabits(random, { isAlike: false, id: `tester-${at}`, isReturning: true }),
    );
    const b = habits.map((own, at) =>
      at < share * count
        ? { ...own, ...change.same?.(own) }
        : {
            ...createHabits(random, { isAlike: false }),
            id: `new-${at}`,
            isReturning: change.newcomer === undefined,
            ...change.newcomer,
          },
    );
    return {
      a: habits.map((own) => simulateTester(random, GAME, own)),
      b: b.map((own) => simulateTester(random, GAME, own)),
    };
  },
});

/** A cell about performance, on devices that differ, and with the same devices in both builds or others. */
const onDevices = (name: string, share: number, change: Parameters<typeof together>[2] = {}): Cell => ({
  name,
  families: ["performance"],
  play: (random) => {
    const { a, b } = together(name, share, change).play(random);
    const slownesses = new Map<string | null, number>();
    const measure = (tester: TesterFacts) => {
      // Most devices are fast, and a few are many times as slow.
      const slowness = slownesses.get(tester.tester) ?? -Math.log(1 - random());
      slownesses.set(tester.tester, slowness);
      return addPerformance(random, tester, slowness);
    };
    return { a: a.map(measure), b: b.map(measure) };
  },
});

export const CELLS: readonly Cell[] = [
  apart("equal play", () => ({})),
  apart("b in 2 sessions", () => ({ sessions: 2 })),
  apart("b in 4 sessions", () => ({ sessions: 4 })),
  apart("b in 1 to 4 sessions of full length", (at) => ({
    sessions: 1 + (at % 4),
    sec: PLAY_SEC * (1 + (at % 4)),
  })),
  ...[1.3, 2, 3].map((times) => apart(`b with ${times} times the play`, () => ({ sec: PLAY_SEC * times }))),
  apart("testers who differ", () => ({}), { isAlike: false }),
  apart("testers who differ, b with 2 times the play", () => ({ sec: PLAY_SEC * 2 }), { isAlike: false }),
  apart("one tester with 20 sessions", (at) => (at === 0 ? { sessions: 20, sec: 20 * PLAY_SEC } : {})),
  apart("50 rare tags", () => ({}), { game: RARE }),
  apart("50 rare tags, b with 2 times the play", () => ({ sec: PLAY_SEC * 2 }), { game: RARE }),
  apart("10 testers", () => ({}), { count: 10 }),
  apart("60 testers", () => ({}), { count: 60 }),
  together("all in common, b from saved games", 1, { same: () => ({ firstLevel: 3 }) }),
  together("60 testers, all in common, b from saved games", 1, {
    same: () => ({ firstLevel: 3 }),
    count: 60,
  }),
  together("all in common", 1),
  together("half in common", 0.5),
  together("none in common", 0),
  together("all in common, with practice", 1, { same: ({ weakness }) => ({ weakness: weakness * 0.5 }) }),
  together("half in common, with practice", 0.5, { same: ({ weakness }) => ({ weakness: weakness * 0.5 }) }),
  together("half in common, and weaker newcomers", 0.5, { newcomer: { weakness: 2.5 } }),
  onDevices("performance, none in common", 0),
  onDevices("performance, half in common", 0.5),
  onDevices("performance, all in common", 1),
  onDevices("performance, none in common, b in 4 sessions of full length", 0, {
    newcomer: { sessions: 4, sec: 4 * PLAY_SEC },
  }),
  onDevices("performance, all in common, b in 4 sessions of full length", 1, {
    same: ({ sec }) => ({ sessions: 4, sec: 4 * sec }),
  }),
  ...[1.5, 2, 3].map((weakness) =>
    together(`half in common, and newcomers ${weakness} times as weak, not known to be new`, 0.5, {
      newcomer: { weakness, isReturning: true },
    }),
  ),
];

/** The shares of runs in which any row of the deciding families is called worse, or better without the note on practice. */
export function measureErrors(
  { play, families = OPTIONS.families }: Cell,
  runs: number,
  seed: number,
): Record<"worse" | "better" | "others", number> {
  const random = createRandom(seed);
  const counts = { worse: 0, better: 0, others: 0 };
  for (let run = 0; run < runs; run += 1) {
    const { a, b } = play(random);
    const { rows } = computeScorecard(group(a), group(b), { ...OPTIONS, families });
    const deciding = rows.filter(({ family, decides }) => decides && families.includes(family));
    if (deciding.some(({ status }) => status === "worse")) counts.worse += 1;
    if (deciding.some(({ status, restsOnPractice }) => status === "better" && !restsOnPractice))
      counts.better += 1;
    if (rows.some(({ family, status }) => family === "ratings" && status === "worse")) counts.others += 1;
  }
  return { worse: counts.worse / runs, better: counts.better / runs, others: counts.others / runs };
}

/** How often the scorecard finds what is worse, beside Boschloo's test with Bonferroni's correction at the same level. */
import type { SessionFacts, TesterFacts } from "../../src/scorecard/facts.ts";
import type { ScorecardRow } from "../../src/scorecard/rows.ts";
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { createBoschlooTest } from "./boschloo.ts";
import { OPTIONS } from "./error-rates.ts";
import { type Game, group, simulateTester } from "./simulated-testers.ts";

type Random = () => number;

const TARGET = "confusion:door";

/** The shares of the other tags, which do not change. */
const OTHERS = Array.from({ length: 12 }, (_, at) => 0.03 + 0.03 * at);

/** Testers who meet each tag with the share that it has, at once. */
function createTesters(
  random: Random,
  count: number,
  shares: Readonly<Record<string, number>>,
): TesterFacts[] {
  return Array.from({ length: count }, () => {
    const activeSec = 500 + 200 * random();
    const tags = Object.entries(shares).flatMap(([tag, share]) =>
      random() < share ? [{ tag, afterSec: 1 }] : [],
    );
    const session: SessionFacts = {
      startSec: 0,
      activeSec,
      wallSec: activeSec * (1 + random()),
      analyzed: true,
      crashed: false,
      rooms: [],
      tags,
      questions: [],
      answers: [],
    };
    return { tester: null, isReturning: null, observedSec: 0, sessions: [session] };
  });
}

const sharesWith = (target: number) => ({
  ...Object.fromEntries(OTHERS.map((share, at) => [`pacing-issue:${at}`, share])),
  [TARGET]: target,
});

const findTarget = (a: readonly TesterFacts[], b: readonly TesterFacts[]): ScorecardRow | undefined =>
  computeScorecard(group(a), group(b), OPTIONS).rows.find(({ subject }) => subject === TARGET);

/** The share of runs in which the scorecard, and Boschloo's test, find that more testers of b meet a tag. */
export function measureIncrease(
  testers: number,
  { from, to }: { readonly from: number; readonly to: number },
  runs: number,
): Record<"found" | "introduced" | "boschloo", number> {
  const random = createRandom(testers);
  const level = OPTIONS.level / OPTIONS.families.length;
  const isSignificant = createBoschlooTest(testers, level / (OTHERS.length + 1));
  const counts = { found: 0, introduced: 0, boschloo: 0 };
  for (let run = 0; run < runs; run += 1) {
    const row = findTarget(
      createTesters(random, testers, sharesWith(from)),
      createTesters(random, testers, sharesWith(to)),
    );
    if (row?.status === "worse") counts.found += 1;
    if (row?.isIntroduced) counts.introduced += 1;
    if (row && isSignificant(row.a.count ?? 0, row.b.count ?? 0)) counts.boschloo += 1;
  }
  return {
    found: counts.found / runs,
    introduced: counts.introduced / runs,
    boschloo: counts.boschloo / runs,
  };
}

const GAME: Game = {
  levels: ["level-1", "level-2", "level-3", "level-4"],
  quit: 0,
  tags: Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`bug-report:${at}`, 0.02 + at * 0.015])),
};

/** The share of runs in which a tag that half of the testers of b meet is found, if b plays in this many sessions. */
export function measureSessions(sessions: number, runs: number): number {
  const random = createRandom(sessions);
  // Half of the testers meet it in the 400 seconds of the game.
  const game = { ...GAME, tags: { ...GAME.tags, [TARGET]: 1 - 0.5 ** 0.25 } };
  const habits = { id: null, isReturning: null, weakness: 1 };
  let found = 0;
  for (let run = 0; run < runs; run += 1) {
    const play = (own: Game, count: number) =>
      Array.from({ length: 20 }, () => simulateTester(random, own, { ...habits, sec: 400, sessions: count }));
    if (findTarget(play(GAME, 1), play(game, sessions))?.status === "worse") found += 1;
  }
  return found / runs;
}

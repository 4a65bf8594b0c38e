/** How long scorecards of many testers take, in time of the processor. */
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { OPTIONS } from "./error-rates.ts";
import { type Game, group, simulateTester } from "./simulated-testers.ts";

const LEVELS = Array.from({ length: 20 }, (_, at) => `level-${at + 1}`);

const GAME: Game = {
  levels: LEVELS,
  quit: 0.03,
  tags: Object.fromEntries([
    ...LEVELS.map((level) => [`difficulty-spike:${level}`, 0.2] as const),
    ...LEVELS.map((level) => [`bug-report:in-${level}`, 0.01] as const),
  ]),
};

export interface Speed {
  readonly rows: number;
  readonly totalMs: number;
}

/** Computes the scorecard of two builds with this many testers each, a fifth of which are the same. */
export function measureSpeed(testers: number): Speed {
  const random = createRandom(testers);
  const play = (name: string) =>
    group(
      Array.from({ length: testers }, (_, at) =>
        simulateTester(random, GAME, {
          id: at % 5 === 0 ? `${at}` : `${name}-${at}`,
          isReturning: null,
          weakness: -Math.log(1 - random()),
          sec: 2000 * random(),
          sessions: 1 + Math.floor(random() * 3),
        }),
      ),
    );
  const { divisions: _, ...options } = OPTIONS;
  const [a, b] = [play("a"), play("b")];
  const start = process.cpuUsage();
  const { rows } = computeScorecard(a, b, options);
  const { user, system } = process.cpuUsage(start);
  return { rows: rows.length, totalMs: (user + system) / 1000 };
}

/**
 * Simulated testers of a game with levels, for the error rates of the scorecard. A tester plays the levels in order, and
 * repeats them until their time is over and the level finished. They may give up in a level when they first enter it.
 * Friction comes at random while they play: in any level, or in one.
 */

import type {
  GroupFacts,
  RoomPerformance,
  SessionFacts,
  TagFacts,
  TesterFacts,
} from "../../src/scorecard/facts.ts";
import { FRAME_BUCKETS } from "../../src/shared/frame-times.ts";

const LEVEL_SEC = 100;

/** A game, as a share of average testers experience it. */
export interface Game {
  readonly levels: readonly string[];
  /** The shares of testers that meet each tag in a level of 100 s: of a tag about a level, in that level. */
  readonly tags: Readonly<Record<string, number>>;
  /** The share of testers that give up in each level that they enter. */
  readonly quit: number;
}

/** How a tester plays. */
export interface Habits {
  readonly id: string | null;
  readonly isReturning: boolean | null;
  /** How many times as often as others the tester meets friction and gives up. */
  readonly weakness: number;
  readonly sec: number;
  readonly sessions: number;
  /** The level in which a saved game continues. Default: the first one. */
  readonly firstLevel?: number;
}

/** A level that a tester played. */
interface Visit {
  readonly level: string;
  readonly sec: number;
  readonly quit: boolean;
  /** What the tester met, with the time in the level. */
  readonly tags: readonly { readonly tag: string; readonly sec: number }[];
}

type Random = () => number;

export const group = (testers: readonly TesterFacts[]): GroupFacts => ({
  analysisVersions: [1],
  outcomeVersions: [1],
  testers,
});

export function simulateTester(random: Random, game: Game, habits: Habits): TesterFacts {
  const visits = simulateVisits(random, game, habits);
  const perSession = Math.max(1, Math.ceil(visits.length / habits.sessions));
  const parts = Array.from({ length: Math.ceil(visits.length / perSession) }, (_, at) =>
    visits.slice(at * perSession, (at + 1) * perSession),
  );
  const rating = Math.max(1, Math.min(5, Math.round(4 - habits.weakness / 2 + random() * 2)));
  return {
    tester: habits.id,
    isReturning: habits.isReturning,
    observedSec: 10 * 86_400,
    sessions: parts.map((part, at) => ({
      ...toSession(random, part, at),
      answers: at === 0 && random() < 0.6 ? [{ field: "survey/fun", kind: "rating", value: rating }] : [],
    })),
  };
}

function simulateVisits(random: Random, game: Game, { weakness, sec, firstLevel = 0 }: Habits): Visit[] {
  const visits: Visit[] = [];
  let left = sec;
  for (let at = 0; left > 0; at += 1) {
    const level = game.levels[(at + firstLevel) % game.levels.length] ?? "";
    const length = LEVEL_SEC * (0.5 + random());
    const quit = at < game.levels.length && random() < game.quit * weakness;
    const tags = Object.entries(game.tags).flatMap(([tag, share]) => {
      if (tag.includes(":level-") && !tag.endsWith(`:${level}`)) return [];
      const hazard = (-Math.log(1 - share) * weakness) / LEVEL_SEC;
      const after = -Math.log(1 - random()) / hazard;
      return after < length ? [{ tag, sec: after }] : [];
    });
    visits.push({ level, sec: length, quit, tags });
    if (quit) break;
    left -= length;
  }
  return visits;
}

/** One session. Who leaves after a level has not given up in it. */
function toSession(random: Random, visits: readonly Visit[], at: number): SessionFacts {
  const rooms = new Map<string, SessionFacts["rooms"][number]>();
  const tags: TagFacts[] = [];
  let activeSec = 0;
  for (const visit of visits) {
    const start = activeSec;
    activeSec += visit.sec;
    tags.push(...visit.tags.map(({ tag, sec }) => ({ tag, afterSec: start + sec })));
    const before = rooms.get(visit.level);
    rooms.set(visit.level, {
      room: visit.level,
      afterSec: before?.afterSec ?? start,
      activeSec: visit.sec,
      completed: !visit.quit,
      failed: true,
      quit: visit.quit,
      gaveUp: false,
    });
  }
  return {
    startSec: at * 3 * 3600,
    activeSec,
    wallSec: activeSec * (1 + random()),
    analyzed: true,
    crashed: random() < 1 - 0.97 ** (activeSec / 600),
    rooms: [...rooms.values()],
    tags: keepFirst(tags),
    questions: [],
    answers: [],
  };
}

/** Adds frame times, load times and memory to the rooms of a tester's sessions. On slow devices, more frames are long. */
export function addPerformance(random: Random, tester: TesterFacts, slowness: number): TesterFacts {
  const measure = (room: string): RoomPerformance => {
    const frames = new Array<number>(FRAME_BUCKETS).fill(0);
    const long = Math.min(0.5, 0.03 * slowness * (0.5 + random()));
    frames[6] = Math.round(3000 * (1 - long));
    frames[9] = Math.round(2000 * long);
    frames[12] = Math.round(1000 * long);
    const loadMs = Math.round(500 * (1 + slowness) * (0.8 + 0.4 * random()));
    return { room, frames, loadMs, memoryMb: Math.round(400 + 200 * random() + 100 * slowness) };
  };
  const sessions = tester.sessions.map((session) => ({
    ...session,
    performance: { platform: "windows", rooms: session.rooms.map(({ room }) => measure(room)) },
  }));
  return { ...tester, sessions };
}

function keepFirst(tags: readonly TagFacts[]): TagFacts[] {
  const seen = new Set<string>();
  return tags.filter(({ tag }) => !seen.has(tag) && seen.add(tag));
}
